#include "io/s3_credentials.h"

#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "io/scripted_transport.h"

namespace weir::io {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Micros kNow = 1'796'000'000 * kMicrosPerSecond;  // 2026-11-29T23:06:40Z

class CredentialsTest : public testing::Test {
 protected:
  Result<S3Credentials> Find() { return DefaultCredentials("eu-west-1", clock_, Places())->Get(); }
  CredentialPlaces Places() {
    return {.variable =
                [this](const char* name) {
                  const auto found = variables_.find(name);
                  return found == variables_.end() ? std::string() : found->second;
                },
            .home = folder_ / "",
            .metadata_url = "http://metadata",
            .transport = transport_};
  }
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  ScratchFolder folder_;
  ManualClock clock_{kNow};
  std::map<std::string, std::string> variables_;
  std::shared_ptr<ScriptedTransport> transport_ = std::make_shared<ScriptedTransport>();
};

TEST_F(CredentialsTest, TheEnvironmentComesFirst) {
  variables_ = {{"AWS_ACCESS_KEY_ID", "ak"},
                {"AWS_SECRET_ACCESS_KEY", "sk"},
                {"AWS_SESSION_TOKEN", "t"},
                {"AWS_WEB_IDENTITY_TOKEN_FILE", "/none"}};
  const auto found = Find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->access_key, "ak");
  EXPECT_EQ(found->session_token, "t");
}

TEST_F(CredentialsTest, AProfileOfAFile) {
  variables_["AWS_SHARED_CREDENTIALS_FILE"] =
      Write("credentials",
            "[default]\naws_access_key_id=no\n[work]\naws_access_key_id = ak\n"
            "aws_secret_access_key = sk\n");
  variables_["AWS_CONFIG_FILE"] = Write("config", "[profile work]\nregion = eu-north-1\n");
  variables_["AWS_PROFILE"] = "work";
  const auto found = Find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->access_key, "ak");
  EXPECT_EQ(DefaultRegion(Places()), "eu-north-1");
  variables_["AWS_REGION"] = "us-west-1";
  EXPECT_EQ(DefaultRegion(Places()), "us-west-1");
}

TEST_F(CredentialsTest, AWebIdentityIsExchangedForKeys) {
  variables_ = {{"AWS_WEB_IDENTITY_TOKEN_FILE", Write("token", "a+b\n")},
                {"AWS_ROLE_ARN", "arn:aws:iam::1:role/x"}};
  transport_->answers = {
      Answer(200, {},
             "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
             "<AccessKeyId>ak</AccessKeyId><SecretAccessKey>sk</SecretAccessKey><SessionToken>t"
             "</SessionToken><Expiration>2026-12-01T00:00:00Z</Expiration></Credentials>"
             "</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>")};
  const auto found = Find();
  ASSERT_TRUE(found) << found.error().ToString();
  EXPECT_EQ(found->secret_key, "sk");
  EXPECT_GT(found->expires, kNow);
  EXPECT_EQ(transport_->sent[0].url, "https://sts.eu-west-1.amazonaws.com/");
  EXPECT_THAT(transport_->sent[0].body, HasSubstr("WebIdentityToken=a%2Bb"));
  EXPECT_THAT(transport_->sent[0].body, HasSubstr("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx"));
}

constexpr const char* kJson = R"({"AccessKeyId":"ak","SecretAccessKey":"sk","Token":"t",)"
                              R"("Expiration":"2026-12-01T00:00:00Z"})";

TEST_F(CredentialsTest, AContainersEndpoint) {
  variables_ = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1/creds"},
                {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "auth"}};
  transport_->answers = {Answer(200, {}, kJson)};
  ASSERT_TRUE(Find());
  EXPECT_EQ(*http::FindHeader(transport_->sent[0].headers, "Authorization"), "auth");
}

TEST_F(CredentialsTest, TheMachinesRole) {
  transport_->answers = {Answer(200, {}, "token"), Answer(200, {}, "my role\n"),
                         Answer(200, {}, kJson)};
  const auto found = Find();
  ASSERT_TRUE(found) << found.error().ToString();
  EXPECT_EQ(found->access_key, "ak");
  ASSERT_EQ(transport_->sent.size(), 3U);
  EXPECT_EQ(transport_->sent[0].method, http::Method::kPut);
  EXPECT_EQ(transport_->sent[2].url,
            "http://metadata/latest/meta-data/iam/security-credentials/my%20role");
  EXPECT_EQ(*http::FindHeader(transport_->sent[2].headers, "X-aws-ec2-metadata-token"), "token");
}

TEST_F(CredentialsTest, NoneAtAllSaysWhatToDo) {
  variables_["AWS_EC2_METADATA_DISABLED"] = "true";
  const auto found = Find();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(found.error().code, ErrorCode::kStorageDenied);
  EXPECT_THAT(found.error().remedy, HasSubstr("AWS_ACCESS_KEY_ID"));
}

TEST_F(CredentialsTest, WhatIsNoAnswerIsAnError) {
  variables_["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/x";
  transport_->answers = {Answer(500), Answer(403), Answer(200, {}, "[]"),
                         Answer(200, {}, R"({"AccessKeyId":"ak"})"), Answer(200, {}, "secret{")};
  EXPECT_EQ(Find().error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(Find().error().kind, ErrorKind::kRefused);
  EXPECT_EQ(Find().error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(Find().error().kind, ErrorKind::kRefused);
  EXPECT_THAT(Find().error().message, Not(HasSubstr("secret")));
}

// A source whose keys live for ten minutes, and which may be away.
class RefreshTest : public testing::Test {
 protected:
  std::shared_ptr<S3CredentialSource> source_ = RefreshedCredentials(
      [this]() -> Result<S3Credentials> {
        ++asked_;
        if (away_) return Unavailable("away");
        return S3Credentials{.access_key = "ak" + std::to_string(asked_),
                             .expires = clock_.Now() + 600 * kMicrosPerSecond};
      },
      clock_);
  ManualClock clock_{kNow};
  int asked_ = 0;
  bool away_ = false;
};

TEST_F(RefreshTest, KeysAreRenewedAheadOfTheirEnd) {
  EXPECT_EQ(source_->Get()->access_key, "ak1");
  clock_.Advance(299 * kMicrosPerSecond);
  EXPECT_EQ(source_->Get()->access_key, "ak1");
  clock_.Advance(2 * kMicrosPerSecond);
  EXPECT_EQ(source_->Get()->access_key, "ak2");
}

TEST_F(RefreshTest, OldKeysServeUntilTheirEndWhileTheSourceIsAway) {
  ASSERT_TRUE(source_->Get());
  away_ = true;
  clock_.Advance(400 * kMicrosPerSecond);
  EXPECT_EQ(source_->Get()->access_key, "ak1");
  EXPECT_EQ(source_->Get()->access_key, "ak1");
  EXPECT_EQ(asked_, 2);  // not at each call
  clock_.Advance(90 * kMicrosPerSecond);
  EXPECT_EQ(source_->Get()->access_key, "ak1");
  away_ = false;
  clock_.Advance(20 * kMicrosPerSecond);
  EXPECT_EQ(source_->Get()->access_key, "ak4");
  away_ = true;
  clock_.Advance(601 * kMicrosPerSecond);
  EXPECT_EQ(source_->Get().error().kind, ErrorKind::kUnavailable);
}

TEST_F(RefreshTest, DiscardedKeysAreFetchedAnew) {
  ASSERT_TRUE(source_->Get());
  source_->Discard();
  EXPECT_EQ(source_->Get()->access_key, "ak2");
}

}  // namespace
}  // namespace weir::io
