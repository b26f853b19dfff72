#pragma once
// Client: sends requests over HTTP/1.1 and TLS, on libcurl.
//
// Transport is the port, so that a test can answer by script. A client keeps connections open and
// uses them again; it is safe to call from any number of threads, each of which has a connection of
// its own while it waits. Redirects are not followed, and no answer is retried: what a status means
// is the caller's business, and any status at all is a Response, not an error.
//
// Errors of Send, which answer the one question of a caller who changed something:
//   kUnavailable    the request did not leave: no name, no connection, no TLS session
//   kCommitUnknown  it left, and no whole answer came: a reset, a timeout, an end in mid-answer.
//                   It may have been carried out; of a GET it only means: try again
//   kRefused        WEIR0506: the server's certificate is not one that is trusted
//   kCorrupt        the answer is longer than the request allowed, or is not HTTP
//   kInvalidInput   a URL or header that cannot be sent
// A connection that died while it lay idle is replaced without a word, and the request sent once
// more if no byte of an answer had come: so even the first answer may be to a second sending.

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "http/message.h"

namespace weir::http {

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Result<Response> Send(const Request& request) = 0;
};

struct ClientOptions {
  Micros connect_timeout = 10 * kMicrosPerSecond;
  Micros total_timeout = 300 * kMicrosPerSecond;
  /// Slower than this for so long is a timeout.
  int least_bytes_per_second = 1;
  Micros slow_timeout = 30 * kMicrosPerSecond;
  std::string ca_file;  // PEM; empty: the system's certificates
  std::string user_agent = "weir";
  bool use_proxy = true;  // as the environment says (https_proxy, no_proxy)
};

/// The error of a request that may be sent again: not to know is to try again.
Error Repeatable(Error error);

std::unique_ptr<Transport> NewClient(const ClientOptions& options = {});

}  // namespace weir::http
