#include "http/client.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/stub_server.h"

namespace weir::http {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Client, SendsWhatItIsTold) {
  StubServer server([](const auto&) { return StubServer::Reply(200, "hello", "X-A:  b \r\n"); });
  const auto client = NewClient();
  const auto response = client->Send({.method = Method::kPut,
                                      .url = server.url() + "/a/../b%20c?x=1",
                                      .headers = {{"X-One", "1"}, {"X-Empty", ""}},
                                      .body = "the body"});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(response->header("x-a"), "b");
  EXPECT_EQ(response->header("x-b"), "");
  const auto heard = server.heard();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].method, "PUT");
  EXPECT_EQ(heard[0].target, "/a/../b%20c?x=1");
  EXPECT_EQ(heard[0].body, "the body");
  EXPECT_THAT(heard[0].head, HasSubstr("X-One: 1\r\n"));
  EXPECT_THAT(heard[0].head, HasSubstr("X-Empty:\r\n"));
  EXPECT_THAT(heard[0].head, Not(HasSubstr("Expect")));
  EXPECT_THAT(heard[0].head, Not(HasSubstr("Content-Type")));
}

TEST(Client, KnowsEachMethod) {
  StubServer server([](const auto& heard) {
    auto reply = StubServer::Reply(204);
    if (heard.method == "HEAD") reply.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
    return reply;
  });
  const auto client = NewClient();
  for (const Method method :
       {Method::kGet, Method::kHead, Method::kPut, Method::kPost, Method::kDelete}) {
    const auto response = client->Send({.method = method, .url = server.url() + "/"});
    ASSERT_TRUE(response) << ToString(method) << response.error().ToString();
    EXPECT_TRUE(response->ok());
    EXPECT_EQ(server.heard().back().method, ToString(method));
  }
}

TEST(Client, SendsLargeBodiesWhole) {
  StubServer server(
      [](const auto& heard) { return StubServer::Reply(200, std::to_string(heard.body.size())); });
  const std::string body(5 << 20, 'x');
  const auto client = NewClient();
  EXPECT_EQ(client->Send({.method = Method::kPut, .url = server.url(), .body = body})->body,
            "5242880");
}

TEST(Client, AStatusIsNoError) {
  StubServer server([](const auto&) { return StubServer::Reply(503, "busy"); });
  const auto response = NewClient()->Send({.url = server.url()});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 503);
  EXPECT_FALSE(response->ok());
}

TEST(Client, ARequestThatDidNotLeaveIsUnavailable) {
  const auto refused = NewClient()->Send({.url = "http://127.0.0.1:1/"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("GET http://127.0.0.1:1/"));
}

TEST(Client, ALostReplyIsUnknown) {
  StubServer server([](const auto&) { return StubServer::HangUp(); });
  const auto lost =
      NewClient()->Send({.method = Method::kPut, .url = server.url() + "/k?secret", .body = "x"});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind, ErrorKind::kCommitUnknown);
  EXPECT_THAT(lost.error().message, Not(HasSubstr("secret")));
}

TEST(Client, AnAnswerThatEndsTooSoonIsUnknown) {
  StubServer server([](const auto&) {
    return StubServer::Answer{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
                              .close = true};
  });
  const auto cut = NewClient()->Send({.url = server.url()});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::kCommitUnknown);
}

TEST(Client, ASilentServerRunsIntoTheTimeout) {
  StubServer server([](const auto&) { return StubServer::Answer{}; });
  const auto silent = NewClient()->Send({.url = server.url(), .timeout = 100 * kMicrosPerMilli});
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().kind, ErrorKind::kCommitUnknown);
}

TEST(Client, ReadsNoMoreThanItMay) {
  StubServer server([](const auto&) { return StubServer::Reply(200, std::string(1'000, 'x')); });
  const auto client = NewClient();
  EXPECT_TRUE(client->Send({.url = server.url(), .max_answer_bytes = 1'000}));
  const auto large = client->Send({.url = server.url(), .max_answer_bytes = 999});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, ErrorKind::kCorrupt);
}

TEST(Client, BoundsTheHeadersToo) {
  StubServer server([](const auto&) {
    std::string headers;
    for (int i = 0; i < 100; ++i) headers += "X-Long: " + std::string(1'000, 'x') + "\r\n";
    return StubServer::Reply(200, "", headers);
  });
  const auto large = NewClient()->Send({.url = server.url()});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, ErrorKind::kCorrupt);
}

TEST(Client, RefusesLineBreaksInWhatItSends) {
  const auto client = NewClient();
  const std::string url = "http://127.0.0.1:1/";
  EXPECT_EQ(client->Send({.url = url, .headers = {{"A", "b\r\nC: d"}}}).error().kind,
            ErrorKind::kInvalidInput);
  EXPECT_EQ(client->Send({.url = url + "\nx"}).error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(client->Send({.url = "file:///etc/passwd"}).error().kind, ErrorKind::kInvalidInput);
}

TEST(Client, DoesNotFollowRedirects) {
  StubServer server(
      [](const auto&) { return StubServer::Reply(307, "", "Location: http://127.0.0.1:1/\r\n"); });
  EXPECT_EQ(NewClient()->Send({.url = server.url()})->status, 307);
}

TEST(Client, ServesManyThreads) {
  StubServer server([](const auto& heard) { return StubServer::Reply(200, heard.target); });
  const auto client = NewClient();
  std::atomic<int> right{0};
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const std::string target = "/" + std::to_string(i) + "/" + std::to_string(n);
        const auto response = client->Send({.url = server.url() + target});
        if (response && response->body == target) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 160);
}

}  // namespace
}  // namespace weir::http
