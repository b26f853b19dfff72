#pragma once
// Server: answers GET over HTTP/1.1 at one address, for programs that look at a running pipeline.
//
// A thread of its own accepts, reads and answers, and calls the handler, which must be quick. What
// strangers can cost is bounded: 64 connections, 8 KiB of head, no body, 10 seconds without
// progress. There is no TLS and nobody is asked who he is: not for an open network.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::api {

struct Answer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
};

/// `path`: of the request, without what follows a question mark.
using Handler = std::function<Answer(std::string_view path)>;

class Server {
 public:
  virtual ~Server() = default;  // ends the thread and all connections
  /// `host`: a numeric address, or localhost. `port`: 0 takes any that is free. kInvalidInput: the
  /// address cannot be listened at.
  static Result<std::unique_ptr<Server>> Listen(const std::string& host, int port, Handler handler);
  virtual int port() const = 0;
};

}  // namespace weir::api
