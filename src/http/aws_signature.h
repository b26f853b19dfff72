#pragma once
// AWS Signature Version 4 of a request, as S3, Glue and REST catalogs behind AWS want it.
//
// Pure: the same request, keys and time give the same headers. The path is taken as it stands in
// the URL. S3 signs it so; other services sign it encoded once more.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "http/message.h"

namespace weir::http {

struct AwsKeys {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // empty: none
};

struct AwsScope {
  std::string region;
  std::string service;  // "s3", "glue", "execute-api"
};

/// The payload hash that stands for "not signed".
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

/// Adds x-amz-date, x-amz-content-sha256, x-amz-security-token where there is a token, and
/// Authorization. All headers that are there are signed, and so is the host. `payload_sha256`:
/// lower case hex of the body's digest, or kUnsignedPayload. `now`: Unix microseconds. Errors:
/// kInvalidInput for a malformed URL.
Status SignForAws(Request& request, const AwsKeys& keys, const AwsScope& scope,
                  std::string_view payload_sha256, Micros now);

/// For tests: the canonical request of step one.
Result<std::string> CanonicalAwsRequest(const Request& request, const AwsScope& scope,
                                        std::string_view payload_sha256);

}  // namespace weir::http
