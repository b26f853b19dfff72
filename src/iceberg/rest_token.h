#pragma once
// RestToken: the bearer token of a REST catalog: a fixed one, or one that is got with a client
// credential (OAuth2) and renewed before it runs out.
//
// Safe from several threads; one of them renews while the others wait. Errors: kRefused WEIR0502
// (the credential), kUnavailable WEIR0404. No message holds a secret.

#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/client.h"

namespace weir::iceberg {

/// Where and with what a token is got.
struct TokenSource {
  std::string token;       // fixed
  std::string credential;  // "id:secret", or a secret alone
  std::string uri;         // of the token endpoint
  std::string scope;
};

class RestToken {
 public:
  RestToken(TokenSource source, http::Transport& transport, Clock& clock)
      : source_(std::move(source)), transport_(transport), clock_(clock) {}

  /// Empty: none is needed.
  Result<std::string> Current();
  /// The server refused this one: the next Current gets another. False: there is no way to.
  bool Forget(const std::string& refused);
  /// What the server's own configuration adds. A token in hand stays.
  void Complete(const TokenSource& found);

 private:
  Status Renew();

  std::mutex mutex_;
  TokenSource source_;  // guarded by mutex_, as all below
  http::Transport& transport_;
  Clock& clock_;
  std::string token_;
  Micros renew_at_ = 0;  // monotonic
};

}  // namespace weir::iceberg
