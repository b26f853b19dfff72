#include "config/kafka_options.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/secret.h"

namespace weir::config {
namespace {

using testing::HasSubstr;

TEST(KafkaOptionsTest, AreSortedAndUnique) {
  const auto options = KafkaOptions();
  for (std::size_t i = 1; i < options.size(); ++i) {
    EXPECT_LT(options[i - 1].name, options[i].name);
  }
}

TEST(KafkaOptionsTest, NoneIsWeirsOwnAsWell) {
  for (const KafkaOption& option : KafkaOptions()) {
    EXPECT_EQ(ReservedKafkaOption(option.name), "") << option.name;
    EXPECT_FALSE(option.doc.empty()) << option.name;
    EXPECT_EQ(option.kind == OptionKind::kChoice, !option.choices.empty()) << option.name;
  }
}

TEST(KafkaOptionsTest, WhatIsKnownAsASecretByNameIsOneByKind) {
  for (const KafkaOption& option : KafkaOptions()) {
    EXPECT_EQ(option.kind == OptionKind::kSecret, IsSecretName(option.name)) << option.name;
  }
}

TEST(KafkaOptionsTest, OffsetsAndGroupAreWeirsOwn) {
  for (const char* name : {"group.id", "bootstrap.servers", "enable.auto.commit",
                           "auto.offset.reset", "enable.auto.offset.store", "session.timeout.ms"}) {
    EXPECT_EQ(FindKafkaOption(name), nullptr) << name;
    EXPECT_NE(ReservedKafkaOption(name), "") << name;
  }
  EXPECT_EQ(ReservedKafkaOption("nothing.like.it"), "");
}

TEST(KafkaOptionsTest, ChoicesIgnoreCaseAndGetTheClientsSpelling) {
  const KafkaOption& protocol = *FindKafkaOption("security.protocol");
  EXPECT_EQ(*ReadKafkaOption(protocol, "SASL_SSL"), "sasl_ssl");
  EXPECT_EQ(*ReadKafkaOption(*FindKafkaOption("sasl.mechanism"), "scram-sha-256"), "SCRAM-SHA-256");
  EXPECT_THAT(ReadKafkaOption(protocol, "tls").error().message, HasSubstr("none of plaintext"));
}

TEST(KafkaOptionsTest, NumbersHaveRanges) {
  const KafkaOption& level = *FindKafkaOption("log_level");
  EXPECT_EQ(*ReadKafkaOption(level, "7"), "7");
  for (const char* text : {"8", "-1", "7.0", "", "x", "99999999999999999999", " 7"}) {
    EXPECT_FALSE(ReadKafkaOption(level, text)) << text;
  }
}

TEST(KafkaOptionsTest, BooleansAreTrueOrFalse) {
  const KafkaOption& crcs = *FindKafkaOption("check.crcs");
  EXPECT_EQ(*ReadKafkaOption(crcs, "true"), "true");
  EXPECT_FALSE(ReadKafkaOption(crcs, "yes"));
  EXPECT_FALSE(ReadKafkaOption(crcs, "1"));
}

}  // namespace
}  // namespace weir::config
