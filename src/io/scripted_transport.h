#pragma once
// For tests: a transport that answers what it is told, one after the other, and keeps what was
// sent.

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/client.h"

namespace weir::io {

inline Result<http::Response> Answer(int status, http::Headers headers = {},
                                     std::string body = "") {
  return http::Response{.status = status, .headers = std::move(headers), .body = std::move(body)};
}

inline Result<http::Response> Fault(int status, const std::string& code,
                                    http::Headers headers = {}) {
  return Answer(status, std::move(headers),
                "<Error><Code>" + code + "</Code><Message>m</Message></Error>");
}

class ScriptedTransport final : public http::Transport {
 public:
  struct Sent {
    http::Method method;
    std::string url;
    http::Headers headers;
    std::string body;
  };

  Result<http::Response> Send(const http::Request& request) override {
    const std::lock_guard lock(mutex_);
    sent.push_back({request.method, request.url, request.headers, std::string(request.body)});
    if (request.method == http::Method::kHead && on_head) return on_head();
    if (answers.empty()) return forever ? *forever : Internal("nothing is scripted");
    auto answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }

  std::deque<Result<http::Response>> answers;
  std::optional<Result<http::Response>> forever;    // once the answers are used up
  std::function<Result<http::Response>()> on_head;  // instead, when it is set
  std::vector<Sent> sent;

 private:
  std::mutex mutex_;
};

}  // namespace weir::io
