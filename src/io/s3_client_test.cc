#include "io/s3_client.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/s3_credentials.h"
#include "io/scripted_transport.h"

namespace weir::io {
namespace {

using testing::HasSubstr;
using testing::Not;

class S3ClientTest : public testing::Test {
 protected:
  S3ClientTest() {
    options_.endpoint = "http://store:9000";
    options_.region = "us-east-1";
    options_.path_style = true;
    options_.clock = &clock_;
    options_.transport = transport_;
    options_.attempts = 6;
    options_.credentials = FixedCredentials({.access_key = "ak", .secret_key = "hidden"});
  }
  Result<S3Answer> Put() {
    S3Client client("b", options_);
    return client.Send({.method = http::Method::kPut, .key = "k", .body = "x"});
  }
  std::string HeaderSent(std::size_t index, std::string_view name) const {
    const std::string* value = http::FindHeader(transport_->sent[index].headers, name);
    return value == nullptr ? "" : *value;
  }

  ManualClock clock_{1'796'000'000 * kMicrosPerSecond};
  std::shared_ptr<ScriptedTransport> transport_ = std::make_shared<ScriptedTransport>();
  S3Options options_;
};

TEST_F(S3ClientTest, SpellsThePlaceInTheWayThatIsAskedFor) {
  transport_->answers = {Answer(200), Answer(200), Answer(200), Answer(200)};
  const std::string key = "a b+c=d%20e/ünï";
  ASSERT_TRUE(
      S3Client("b", options_).Send({.key = key, .query = {{"x y", "1+"}, {"uploads", ""}}}));
  EXPECT_EQ(transport_->sent[0].url,
            "http://store:9000/b/a%20b%2Bc%3Dd%2520e/%C3%BCn%C3%AF?x%20y=1%2B&uploads=");
  options_.path_style = false;
  ASSERT_TRUE(S3Client("b", options_).Send({.key = "k"}));
  EXPECT_EQ(transport_->sent[1].url, "http://b.store:9000/k");
  options_.endpoint = "";
  options_.region = "eu-west-1";
  ASSERT_TRUE(S3Client("b", options_).Send({.key = "k"}));
  EXPECT_EQ(transport_->sent[2].url, "https://b.s3.eu-west-1.amazonaws.com/k");
  // No certificate fits a dot in the bucket's name.
  ASSERT_TRUE(S3Client("b.c", options_).Send({.key = "k"}));
  EXPECT_EQ(transport_->sent[3].url, "https://s3.eu-west-1.amazonaws.com/b.c/k");
}

TEST_F(S3ClientTest, TriesAgainWhenTheStoreIsBusy) {
  transport_->answers = {Fault(503, "SlowDown"), Fault(500, "InternalError"),
                         Fault(409, "ConditionalRequestConflict"), Unavailable("refused"),
                         Answer(200)};
  const auto answer = Put();
  ASSERT_TRUE(answer) << answer.error().ToString();
  EXPECT_EQ(answer->response.status, 200);
  EXPECT_TRUE(answer->tried_before);  // the 500 may have been carried out
  EXPECT_EQ(transport_->sent.size(), 5U);
  EXPECT_GT(clock_.Monotonic(), 300 * kMicrosPerMilli);  // 25..50, 50..100, 100..200, 200..400 ms
  EXPECT_LT(clock_.Monotonic(), 760 * kMicrosPerMilli);
}

TEST_F(S3ClientTest, WhatWasNotCarriedOutIsUnavailable) {
  for (int i = 0; i < 6; ++i) transport_->answers.push_back(Fault(503, "SlowDown"));
  const auto answer = Put();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(answer.error().code, ErrorCode::kStorageFailed);
  EXPECT_THAT(answer.error().message, HasSubstr("503 SlowDown"));
  EXPECT_THAT(answer.error().message, HasSubstr("6 tries"));
}

TEST_F(S3ClientTest, WhatMayHaveBeenCarriedOutIsUnknown) {
  transport_->answers = {CommitUnknown("reset")};
  for (int i = 0; i < 5; ++i) transport_->answers.push_back(Fault(503, "SlowDown"));
  const auto answer = Put();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::kCommitUnknown);
}

TEST_F(S3ClientTest, AFinalAnswerIsNotAskedForTwice) {
  for (const int status : {200, 204, 206, 404, 412, 416}) {
    transport_->answers = {Answer(status)};
    const auto answer = Put();
    ASSERT_TRUE(answer) << status;
    EXPECT_EQ(answer->response.status, status);
    EXPECT_FALSE(answer->tried_before);
  }
}

TEST_F(S3ClientTest, ADenialIsRefusedAndShowsNoSecret) {
  for (const auto& [status, code] : std::vector<std::pair<int, std::string>>{
           {403, "AccessDenied"}, {403, "SignatureDoesNotMatch"}, {404, "NoSuchBucket"}}) {
    transport_->answers = {Fault(status, code)};
    const auto answer = Put();
    ASSERT_FALSE(answer) << code;
    EXPECT_EQ(answer.error().kind, ErrorKind::kRefused);
    EXPECT_EQ(answer.error().code, ErrorCode::kStorageDenied);
    EXPECT_THAT(answer.error().message, HasSubstr(code));
    EXPECT_THAT(answer.error().message, Not(HasSubstr("hidden")));
  }
}

TEST_F(S3ClientTest, CorrectsAWrongClock) {
  transport_->answers = {
      Fault(403, "RequestTimeTooSkewed", {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}}), Answer(200)};
  ASSERT_TRUE(Put());
  EXPECT_EQ(HeaderSent(1, "x-amz-date"), "20130524T000000Z");
  EXPECT_EQ(clock_.Monotonic(), 0);  // at once
}

TEST_F(S3ClientTest, FollowsTheBucketToItsRegion) {
  options_.endpoint = "";
  transport_->answers = {Fault(301, "PermanentRedirect", {{"x-amz-bucket-region", "eu-west-1"}}),
                         Answer(200)};
  options_.path_style = false;
  ASSERT_TRUE(Put());
  EXPECT_THAT(transport_->sent[1].url, HasSubstr("b.s3.eu-west-1.amazonaws.com"));
  EXPECT_THAT(HeaderSent(1, "Authorization"), HasSubstr("/eu-west-1/s3/"));
}

TEST_F(S3ClientTest, FetchesCredentialsAnewWhenTheyRanOut) {
  int fetched = 0;
  options_.credentials = RefreshedCredentials(
      [&fetched]() -> Result<S3Credentials> {
        ++fetched;
        return S3Credentials{.access_key = "ak" + std::to_string(fetched), .secret_key = "s"};
      },
      clock_);
  transport_->answers = {Fault(400, "ExpiredToken"), Answer(200)};
  ASSERT_TRUE(Put());
  EXPECT_THAT(HeaderSent(1, "Authorization"), HasSubstr("Credential=ak2/"));
}

TEST_F(S3ClientTest, AHeadIsToldOfOldCredentialsWithoutAWord) {
  transport_->answers = {Answer(400), Answer(200)};
  EXPECT_EQ(Put()->response.status, 200);
  transport_->answers = {Answer(400), Answer(400), Answer(400)};
  EXPECT_EQ(Put()->response.status, 400);
}

TEST_F(S3ClientTest, StopsTryingWhenNearlyEverythingFails) {
  options_.attempts = 1'000;
  options_.longest_wait = kMicrosPerMilli;
  S3Client client("b", options_);
  transport_->forever = Fault(503, "SlowDown");
  ASSERT_FALSE(client.Send({.key = "k"}));
  EXPECT_EQ(transport_->sent.size(), 101U);  // the first, and what the budget pays
  ASSERT_FALSE(client.Send({.key = "k"}));
  EXPECT_EQ(transport_->sent.size(), 102U);
}

TEST_F(S3ClientTest, WaitsAsLongAsTheStoreAsksWithinItsBound) {
  transport_->answers = {Fault(503, "SlowDown", {{"Retry-After", "3"}}), Answer(200)};
  ASSERT_TRUE(Put());
  EXPECT_GE(clock_.Monotonic(), 1'500 * kMicrosPerMilli);
  EXPECT_LE(clock_.Monotonic(), 3 * kMicrosPerSecond);
}

}  // namespace
}  // namespace weir::io
