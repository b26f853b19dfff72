#include "api/server.h"

#include <gmock/gmock.h>

#include "http/client.h"

namespace weir::api {
namespace {

using testing::HasSubstr;

Answer Echo(std::string_view path) {
  if (path == "/missing") return {.status = 404, .body = "no\n"};
  return {.body = std::string(path)};
}

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = Server::Listen("127.0.0.1", 0, Echo);
    ASSERT_TRUE(server) << server.error().ToString();
    server_ = *std::move(server);
  }

  Result<http::Response> Send(http::Request request) {
    request.url = "http://127.0.0.1:" + std::to_string(server_->port()) + request.url;
    return client_->Send(request);
  }

  std::unique_ptr<Server> server_;
  std::unique_ptr<http::Transport> client_ = http::NewClient();
};

TEST_F(ServerTest, AnswersOneRequestAfterTheOther) {
  for (const char* path : {"/a", "/b", "/a"}) {
    const auto answer = Send({.url = path});
    ASSERT_TRUE(answer) << answer.error().ToString();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, path);
  }
}

TEST_F(ServerTest, WhatFollowsAQuestionMarkIsNotThePath) {
  EXPECT_EQ(Send({.url = "/a?b=/c"})->body, "/a");
}

TEST_F(ServerTest, GivesTheStatusOfTheHandler) {
  EXPECT_EQ(Send({.url = "/missing"})->status, 404);
}

TEST_F(ServerTest, HeadHasNoBody) {
  const auto answer = Send({.method = http::Method::kHead, .url = "/a"});
  ASSERT_TRUE(answer) << answer.error().ToString();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "");
}

TEST_F(ServerTest, WritesNothing) {
  EXPECT_EQ(Send({.method = http::Method::kDelete, .url = "/a"})->status, 405);
}

TEST_F(ServerTest, ABodyOrAHugeHeadEndsTheConnectionAndNothingElse) {
  EXPECT_FALSE(Send({.method = http::Method::kPost, .url = "/a", .body = "something"}));
  EXPECT_FALSE(Send({.url = "/" + std::string(20'000, 'x')}));
  EXPECT_EQ(Send({.url = "/a"})->status, 200);
}

TEST_F(ServerTest, AnAddressThatIsTakenIsRefused) {
  const auto second = Server::Listen("127.0.0.1", server_->port(), Echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(server_->port())));
}

TEST_F(ServerTest, AnAddressThatIsNoneIsRefused) {
  EXPECT_FALSE(Server::Listen("nowhere", 0, Echo));
  EXPECT_FALSE(Server::Listen("203.0.113.1", 0, Echo));
}

}  // namespace
}  // namespace weir::api
