#include "kafka/client_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/kafka_source.h"

namespace weir::kafka {
namespace {

using testing::HasSubstr;
using testing::Not;

Status Check(std::map<std::string, std::string> options, std::vector<std::string> secrets = {}) {
  return CheckOptions({.brokers = "localhost:9092",
                       .options = std::move(options),
                       .secret_options = std::move(secrets)});
}

TEST(CheckOptions, TakesWhatTheClientKnows) {
  const Status status = Check({{"security.protocol", "SASL_PLAINTEXT"},
                               {"sasl.mechanism", "SCRAM-SHA-512"},
                               {"sasl.username", "weir"},
                               {"sasl.password", "hunter2"},
                               {"fetch.min.bytes", "1000"},
                               {"isolation.level", "read_uncommitted"},
                               {"acks", "all"}});
  EXPECT_TRUE(status) << status.error().ToString();
  EXPECT_TRUE(Check({}));
}

TEST(CheckOptions, NamesTheNearestSetting) {
  const Status status = Check({{"fetch.mni.bytes", "1"}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(status.error().code, ErrorCode::kBadValue);
  EXPECT_THAT(status.error().message, HasSubstr("'fetch.mni.bytes'"));
  EXPECT_THAT(status.error().remedy, HasSubstr("'fetch.min.bytes'"));
}

TEST(CheckOptions, GuessesNothingFarFetched) {
  const Status status = Check({{"zzzzzzzzzzzz", "1"}});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().remedy, Not(HasSubstr("did you mean")));
}

TEST(CheckOptions, KeepsItsOwnSettings) {
  for (const char* name : {"enable.auto.commit", "auto.offset.reset", "group.id",
                           "bootstrap.servers", "enable.partition.eof"}) {
    const Status status = Check({{name, "true"}});
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code, ErrorCode::kBadValue) << name;
    EXPECT_THAT(status.error().message, HasSubstr(name));
  }
}

TEST(CheckOptions, ExplainsAWrongValue) {
  const Status status = Check({{"fetch.min.bytes", "many"}});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("fetch.min.bytes"));
}

TEST(CheckOptions, NeverRepeatsASecret) {
  for (const char* name : {"ssl.key.pem", "ssl.keystore.password"}) {
    const Status status = Check({{"security.protocol", "SSL"}, {name, "s3cr3t-value"}}, {name});
    if (status) continue;
    EXPECT_THAT(status.error().ToString() + status.error().remedy, Not(HasSubstr("s3cr3t")));
  }
  const Status status = Check({{"fetch.min.bytes", "s3cr3t"}}, {"fetch.min.bytes"});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().ToString(), Not(HasSubstr("s3cr3t")));
}

TEST(CheckOptions, FindsSettingsThatDoNotGoTogether) {
  const Status status =
      Check({{"security.protocol", "SSL"}, {"ssl.ca.location", "/nowhere/ca.pem"}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kBadValue);
}

TEST(KafkaSource, RefusesWrongOptionsWhenOpened) {
  const auto source = KafkaSource::Open(
      {.client = {.brokers = "localhost:9092", .options = {{"no.such", "x"}}, .secret_options = {}},
       .topic = "t",
       .group = "g"});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::kBadValue);
}

TEST(ClientLibrary, NamesItsVersion) { EXPECT_THAT(ClientLibrary(), HasSubstr("librdkafka 2.")); }

}  // namespace
}  // namespace weir::kafka
