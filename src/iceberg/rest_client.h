#pragma once
// RestClient: requests to the server of a REST catalog, by the paths, headers and tokens that it
// asks for, and what its answers mean.
//
// What a status means is told by its number alone: servers differ in the rest. Nothing is retried
// but a request whose token or signature was refused, which changed nothing for certain. Safe from
// several threads.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_document.h"
#include "base/result.h"
#include "connect/table.h"
#include "http/client.h"
#include "iceberg/rest_options.h"
#include "iceberg/rest_signer.h"
#include "iceberg/rest_token.h"

namespace weir::iceberg {

class RestClient {
 public:
  RestClient(const RestOptions& options, std::unique_ptr<http::Transport> transport, Clock& clock);

  struct Call {
    http::Method method = http::Method::kGet;
    std::string path;  // below the prefix, encoded: "/namespaces/retail/tables"
    std::string query = {};
    const Json* body = nullptr;
    http::Headers headers = {};
  };
  /// Any status is a Response. Errors are those of http::Transport, of tokens, and of the server's
  /// own configuration, which is read before the first call.
  Result<http::Response> Send(const Call& call);

  /// Whether it says that it offers an operation. Who sends no list offers what the specification
  /// has always had, kJointCommit among it.
  static constexpr const char* kJointCommit = "POST /v1/{prefix}/transactions/commit";
  Result<bool> Offers(const std::string& operation);
  const std::string& uri() const { return options_.uri; }

  /// Asks the server, once, what it says of itself; Send and Offers do so too.
  Status Configure();
  /// "/namespaces/a%1Fb" and "/namespaces/a%1Fb/tables/c", once that is known.
  std::string NamespacePath(const std::vector<std::string>& levels) const;
  std::string TablePath(const connect::TableName& name) const;

 private:
  Result<http::Response> SendOnce(const http::Request& request, const http::Headers& extra,
                                  std::string& token);
  Result<http::Response> SendTo(const std::string& url, const Call& call);
  void SignFor(const std::string& service, const std::string& region);

  RestOptions options_;
  std::unique_ptr<http::Transport> transport_;
  RestToken token_;
  Clock& clock_;
  std::mutex mutex_;
  bool configured_ = false;  // guarded by mutex_; what follows changes only before it is true
  std::vector<std::string> endpoints_;
  std::string base_;  // "https://host/v1/prefix"
  std::string separator_ = "%1F";
  http::Headers headers_;
  std::unique_ptr<RestSigner> signer_;  // nullptr: none is asked for
};

/// What an answer that is no success says, for a call that may be made again. kNotFound WEIR0401,
/// kConflict, kRefused WEIR0502, kUnavailable WEIR0404.
Error RestError(const http::Response& response, const std::string& what);

/// The server's own message, in one short line; empty when there is none.
std::string MessageIn(const http::Response& response);

}  // namespace weir::iceberg
