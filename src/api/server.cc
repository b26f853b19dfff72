#include "api/server.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>  // before Boost 1.81's coroutines, which forget it

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace weir::api {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using net::ip::tcp;

constexpr std::size_t kMaxHeadBytes = 8192;
constexpr int kMaxConnections = 64;
constexpr std::chrono::seconds kPatience{10};

// One connection: request after request, until the other side goes or is too slow.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const Handler& handler, int& open)
      : stream_(std::move(socket)), handler_(handler), open_(open) {
    ++open_;
  }
  ~Connection() { --open_; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeadBytes);
    parser_->body_limit(std::uint64_t{0});
    stream_.expires_after(kPatience);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code failed, std::size_t) { self->OnRead(failed); });
  }

 private:
  void OnRead(error_code failed) {
    if (failed) return;  // it went, was too slow, or sent no request that is taken here
    const auto& request = parser_->get();
    const bool reads = request.method() == http::verb::get || request.method() == http::verb::head;
    const std::string_view target(request.target().data(), request.target().size());
    Answer answer = reads ? handler_(target.substr(0, target.find('?')))
                          : Answer{.status = 405, .body = "only GET\n"};
    response_ = {};
    response_.version(request.version());
    response_.result(static_cast<unsigned>(answer.status));
    response_.set(http::field::content_type, answer.content_type);
    response_.set(http::field::cache_control, "no-store");
    response_.keep_alive(request.keep_alive());
    response_.content_length(answer.body.size());
    if (request.method() != http::verb::head) response_.body() = std::move(answer.body);
    stream_.expires_after(kPatience);
    http::async_write(
        stream_, response_,
        [self = shared_from_this()](error_code error, std::size_t) { self->OnWritten(error); });
  }

  void OnWritten(error_code failed) {
    if (failed) return;
    if (response_.keep_alive()) return Read();
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMaxHeadBytes};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
  const Handler& handler_;
  int& open_;
};

class BeastServer final : public Server {
 public:
  explicit BeastServer(Handler handler) : handler_(std::move(handler)) {}
  ~BeastServer() override {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  error_code Open(const tcp::endpoint& at) {
    error_code failed;
    acceptor_.open(at.protocol(), failed);
    if (!failed) acceptor_.set_option(net::socket_base::reuse_address(true), failed);
    if (!failed) acceptor_.bind(at, failed);
    if (!failed) acceptor_.listen(net::socket_base::max_listen_connections, failed);
    if (failed) return failed;
    Accept();
    thread_ = std::jthread([this] { context_.run(); });
    return failed;
  }

  int port() const override { return acceptor_.local_endpoint().port(); }

 private:
  void Accept() {
    acceptor_.async_accept([this](error_code failed, tcp::socket socket) {
      if (failed == net::error::operation_aborted) return;
      if (!failed && open_ < kMaxConnections)
        std::make_shared<Connection>(std::move(socket), handler_, open_)->Read();
      if (failed) std::this_thread::sleep_for(std::chrono::milliseconds(50));  // out of descriptors
      Accept();
    });
  }

  const Handler handler_;
  int open_ = 0;  // before the context, whose connections count themselves out
  net::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Listen(const std::string& host, int port, Handler handler) {
  const std::string where = fmt::format("{}:{}", host, port);
  error_code failed;
  const auto address = net::ip::make_address(host == "localhost" ? "127.0.0.1" : host, failed);
  auto server = std::make_unique<BeastServer>(std::move(handler));
  if (!failed) failed = server->Open({address, static_cast<std::uint16_t>(port)});
  if (failed) {
    return InvalidInput("cannot listen at " + where + ": " + failed.message(),
                        ErrorCode::kBadValue);
  }
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace weir::api
