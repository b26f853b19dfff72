#pragma once
// Credentials for S3: where they are looked for, and how they are kept fresh.
//
// The default chain, first hit wins: the environment (AWS_ACCESS_KEY_ID ...), a web identity token
// (AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, asked of STS), the profile files (~/.aws or
// AWS_SHARED_CREDENTIALS_FILE; AWS_PROFILE), the container's endpoint
// (AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI), the machine's metadata service. What
// expires is fetched anew five minutes ahead, or, where it lives shorter, in its last quarter;
// while that fails, the old ones serve until they end. Sources are safe from several threads. No
// secret gets into a message.

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/client.h"
#include "io/s3_options.h"

namespace weir::io {

/// Where the chain looks, for tests. The defaults are those of the process.
struct CredentialPlaces {
  std::function<std::string(const char*)> variable;  // of the environment; empty when unset
  std::string home;
  std::string metadata_url = "http://169.254.169.254";
  std::shared_ptr<http::Transport> transport;  // to STS, containers and the metadata service
};
CredentialPlaces ProcessPlaces();

std::shared_ptr<S3CredentialSource> FixedCredentials(S3Credentials credentials);

/// Calls `fetch` when there are none or they end soon. Errors of `fetch` pass through.
std::shared_ptr<S3CredentialSource> RefreshedCredentials(
    std::function<Result<S3Credentials>()> fetch, Clock& clock);

/// The default chain. `region`: of the STS endpoint.
std::shared_ptr<S3CredentialSource> DefaultCredentials(const std::string& region, Clock& clock,
                                                       CredentialPlaces places = ProcessPlaces());

/// AWS_REGION, AWS_DEFAULT_REGION, the profile's region, else "us-east-1".
std::string DefaultRegion(const CredentialPlaces& places = ProcessPlaces());

/// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL; empty: AWS's own.
std::string DefaultEndpoint(const CredentialPlaces& places = ProcessPlaces());

/// A client with the timeouts that an object store needs.
std::shared_ptr<http::Transport> NewS3Transport(const S3Options& options);

}  // namespace weir::io
