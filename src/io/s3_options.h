#pragma once
// S3Options: how to reach an object store that speaks S3, and who we are there.
//
// A value that is cheap to copy. Stores opened with copies of one object share the credentials and
// the connections that it points at. An empty value means: AWS, region and credentials as its tools
// find them (environment, profile files, web identity, the machine's own role).

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/time.h"
#include "http/client.h"

namespace weir::io {

struct S3Credentials {
  std::string access_key = {};
  std::string secret_key = {};
  std::string session_token = {};  // empty: none
  Micros expires = 0;              // Unix; 0: never
};

/// Where credentials come from. Safe from several threads.
class S3CredentialSource {
 public:
  virtual ~S3CredentialSource() = default;
  /// Valid ones, fetched anew in time. kRefused WEIR0502: there are none; kUnavailable: try later.
  virtual Result<S3Credentials> Get() = 0;
  /// The store refused what Get returned last: ask the origin again next time.
  virtual void Discard() = 0;
};

struct S3Options {
  std::string endpoint;  // "https://host:port"; empty: AWS's of the region
  std::string region;    // empty: of the environment or profile, else us-east-1
  /// Whether the bucket stands in the path instead of the host name.
  bool path_style = false;
  std::string ca_file;                              // PEM; empty: the system's
  std::shared_ptr<S3CredentialSource> credentials;  // nullptr: the default chain
  std::shared_ptr<http::Transport> transport;       // nullptr: a client of its own
  Clock* clock = &SystemClock();
  std::int64_t part_bytes = std::int64_t{8} << 20;  // of a multipart upload; 5 MiB at least
  int attempts = 8;                                 // of one request, the first included
  Micros first_wait = 50 * kMicrosPerMilli;         // before the second; then twice as long, ...
  Micros longest_wait = 5 * kMicrosPerSecond;
};

}  // namespace weir::io
