#include "delta/protocol_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time.h"
#include "delta/test_lake.h"

namespace weir::delta {
namespace {

using testing::HasSubstr;

Protocol Versions(int reader, int writer) {
  Protocol protocol;
  protocol.reader_version = reader;
  protocol.writer_version = writer;
  return protocol;
}

class ProtocolCheckTest : public testing::Test {
 protected:
  ProtocolCheckTest() {
    metadata_.schema_text =
        R"({"type":"struct","fields":[
        {"name":"a","type":"string","nullable":true,"metadata":{}}]})";
  }
  std::string WhyNotWritable() {
    const auto layout = LayoutOf(metadata_);
    if (!layout) return layout.error().message;
    const Status status = CheckWritable(protocol_, metadata_, **layout);
    if (status) return "";
    EXPECT_EQ(status.error().code, ErrorCode::kTableUnsupported);
    return status.error().message;
  }
  std::string WhyNotReadable() {
    const Status status = CheckReadable(protocol_, metadata_);
    return status ? "" : status.error().message;
  }

  Protocol protocol_;
  Metadata metadata_;
};

TEST_F(ProtocolCheckTest, LegacyVersionsWithoutTheirFeaturesInUse) {
  for (int writer = 1; writer <= 6; ++writer) {
    protocol_ = Versions(writer < 5 ? 1 : 2, writer);
    EXPECT_EQ(WhyNotWritable(), "") << writer;
  }
}

TEST_F(ProtocolCheckTest, FeaturesThatAreNamedOnly) {
  protocol_ = {.reader_version = 3,
               .writer_version = 7,
               .reader_features = {"timestampNtz"},
               .writer_features = {"timestampNtz", "appendOnly", "invariants", "changeDataFeed"}};
  EXPECT_EQ(WhyNotWritable(), "");
}

TEST_F(ProtocolCheckTest, EveryFeatureThatWeirLacksIsNamed) {
  for (const char* feature : {"deletionVectors", "v2Checkpoint", "typeWidening", "variantType",
                              "catalogManaged", "somethingNew"}) {
    protocol_ = {.reader_version = 3,
                 .writer_version = 7,
                 .reader_features = {feature},
                 .writer_features = {feature}};
    EXPECT_THAT(WhyNotReadable(), HasSubstr(feature));
    EXPECT_THAT(WhyNotWritable(), HasSubstr(feature));
  }
  for (const char* feature : {"rowTracking", "domainMetadata", "clustering", "icebergCompatV2"}) {
    protocol_ = Versions(1, 7);
    protocol_.writer_features = {feature};
    EXPECT_EQ(WhyNotReadable(), "");
    EXPECT_THAT(WhyNotWritable(), HasSubstr(feature));
  }
  protocol_ = Versions(4, 8);
  EXPECT_THAT(WhyNotReadable(), HasSubstr("version 4"));
}

TEST_F(ProtocolCheckTest, FeaturesInUseByAProperty) {
  protocol_ = Versions(2, 6);
  const std::pair<const char*, const char*> cases[] = {
      {"delta.columnMapping.mode", "name"},
      {"delta.constraints.positive", "price > 0"},
      {"delta.enableInCommitTimestamps", "true"},
      {"delta.setTransactionRetentionDuration", "interval 1 days"},
      {"delta.setTransactionRetentionDuration", "interval 1 months"},
      {"delta.enableDeletionVectors", "true"}};
  for (const auto& [property, value] : cases) {
    metadata_.configuration = {{property, value}};
    EXPECT_NE(WhyNotWritable(), "") << property;
  }
  metadata_.configuration = {{"delta.columnMapping.mode", "none"},
                             {"delta.setTransactionRetentionDuration", "interval 2 weeks"}};
  EXPECT_EQ(WhyNotWritable(), "");
}

TEST_F(ProtocolCheckTest, FeaturesInUseByAColumn) {
  for (const char* key : {"delta.generationExpression", "delta.invariants", "delta.identity.start",
                          "CURRENT_DEFAULT"}) {
    metadata_.schema_text =
        std::string(R"({"type":"struct","fields":[{"name":"made","type":"date","nullable":true,)") +
        R"_("metadata":{")_" + key + R"_(":"x"}}]})_";
    EXPECT_THAT(WhyNotWritable(), HasSubstr("made"));
    EXPECT_EQ(WhyNotReadable(), "");
  }
}

TEST_F(ProtocolCheckTest, ColumnsOfOtherTypesAreLeftOut) {
  metadata_.schema_text = R"_({"type":"struct","fields":[
    {"name":"a","type":"short","nullable":true,"metadata":{}},
    {"name":"b","type":{"type":"array","elementType":"variant","containsNull":true},
     "nullable":true,"metadata":{}},
    {"name":"c","type":{"type":"map","keyType":"string","valueType":"decimal(9,3)",
     "valueContainsNull":false},"nullable":true,"metadata":{}}]})_";
  const auto layout = Must(LayoutOf(metadata_));
  EXPECT_THAT(layout->left_out, testing::ElementsAre("a", "b"));
  EXPECT_EQ(ToString(layout->schema.fields.at(0).type), "map<string, decimal(9,3)>");
  EXPECT_TRUE(layout->schema.fields[0].type.children[1].required);
}

TEST(ProtocolForTest, OnlyWallClockTimesNeedMore) {
  Type time = Type::Of(TypeKind::kTimestamp);
  EXPECT_EQ(ProtocolFor({.fields = {{.name = "t", .type = time, .doc = {}}}}), Protocol{});
  time.zoned = false;
  const Protocol protocol =
      ProtocolFor({.fields = {{.name = "l", .type = Type::List(time), .doc = {}}}});
  EXPECT_EQ(protocol.reader_version, 3);
  EXPECT_THAT(protocol.writer_features, testing::Contains("timestampNtz"));
}

TEST(ParseIntervalTest, SpansThatHaveALength) {
  EXPECT_EQ(ParseInterval("interval 1 week"), 7 * kMicrosPerDay);
  EXPECT_EQ(ParseInterval("INTERVAL 1 days 2 HOURS"), kMicrosPerDay + 7200 * kMicrosPerSecond);
  EXPECT_EQ(ParseInterval("30 minutes"), 1800 * kMicrosPerSecond);
  for (const char* text :
       {"", "interval", "interval 1 months", "1", "-1 days", "x days", "99999999999999 weeks"}) {
    EXPECT_EQ(ParseInterval(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace weir::delta
