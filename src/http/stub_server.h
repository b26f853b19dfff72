#pragma once
// StubServer: a server on loopback that answers by script, for tests of what speaks HTTP.
//
// It hears one request after another on each connection and asks the script for the bytes to send
// back. Threads: one per connection; the script is called under a lock, and a test changes what the
// script reads while it is Paused().

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace weir::http {

class StubServer {
 public:
  struct Heard {
    std::string method, target;
    std::string head;  // the request line and the headers, as they came
    std::string body;
  };
  struct Answer {
    std::string bytes = {};  // status line, headers, body
    bool close = false;      // hang up behind it; with no bytes at all: a reply that was lost
  };
  using Script = std::function<Answer(const Heard&)>;

  explicit StubServer(Script script) : script_(std::move(script)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    WEIR_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    WEIR_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    WEIR_CHECK(listen(listener_, 64) == 0);
    acceptor_ = std::thread([this] { Accept(); });
  }

  ~StubServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close(listener_);
    {
      const std::lock_guard lock(mutex_);
      for (const int connection : open_) shutdown(connection, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }

  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<Heard> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  [[nodiscard]] std::unique_lock<std::mutex> Paused() const { return std::unique_lock(mutex_); }

  /// A whole answer. `headers`: lines that end in "\r\n".
  static Answer Reply(int status, const std::string& body = "", const std::string& headers = "") {
    return {.bytes = "HTTP/1.1 " + std::to_string(status) + " Stub\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body};
  }
  static Answer HangUp() { return {.bytes = "", .close = true}; }

 private:
  void Accept() {
    while (true) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      const std::lock_guard lock(mutex_);
      open_.push_back(connection);
      threads_.emplace_back([this, connection] { Serve(connection); });
    }
  }

  void Serve(int connection) {
    std::string pending;
    Heard heard;
    while (Hear(connection, pending, heard)) {
      Answer answer;
      {
        const std::lock_guard lock(mutex_);
        heard_.push_back(heard);
        answer = script_(heard);
      }
      std::string_view rest = answer.bytes;
      while (!rest.empty()) {
        const auto sent = send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(sent));
      }
      if (answer.close) break;
    }
    const std::lock_guard lock(mutex_);
    std::erase(open_, connection);
    close(connection);
  }

  static bool More(int connection, std::string& pending) {
    char buffer[65'536];
    const auto got = recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    pending.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  static bool Hear(int connection, std::string& pending, Heard& heard) {
    std::size_t end = 0;
    while ((end = pending.find("\r\n\r\n")) == std::string::npos) {
      if (!More(connection, pending)) return false;
    }
    heard.head = pending.substr(0, end + 2);
    pending.erase(0, end + 4);
    const std::size_t blank = heard.head.find(' ');
    heard.method = heard.head.substr(0, blank);
    heard.target = heard.head.substr(blank + 1, heard.head.find(' ', blank + 1) - blank - 1);
    const std::size_t length_at = heard.head.find("Content-Length: ");
    const std::size_t length =
        length_at == std::string::npos ? 0 : std::stoul(heard.head.substr(length_at + 16));
    while (pending.size() < length) {
      if (!More(connection, pending)) return false;
    }
    heard.body = pending.substr(0, length);
    pending.erase(0, length);
    return true;
  }

  Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::thread acceptor_;
  mutable std::mutex mutex_;
  std::vector<Heard> heard_;        // guarded by mutex_
  std::vector<int> open_;           // guarded by mutex_
  std::list<std::thread> threads_;  // grown by the acceptor only
};

}  // namespace weir::http
