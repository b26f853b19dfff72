#include "codec/field_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/decode_outcome.h"

namespace weir::codec {
namespace {

LogRecord At(std::int64_t offset) {
  LogRecord record;
  record.partition = Partition(1);
  record.offset = Offset(offset);
  return record;
}

TEST(FieldProfile, CountsKindsByProducerAndKeepsTheFirst) {
  FieldProfile profile;
  profile.Observe(R"({"price": 5, "ts": 1764500000})", At(10), "app");
  profile.Observe(R"({"price": 6, "ts": 1764500000123})", At(11), "app");
  profile.Observe(R"({"price": "6.50"})", At(12), "web");
  profile.Observe("nonsense", At(13), "web");
  EXPECT_EQ(profile.records(), 4);
  EXPECT_EQ(profile.unreadable(), 1);
  const auto& price = profile.fields().at("price");
  EXPECT_EQ(price.at("app").kinds.at(ValueKind::kInteger).count, 2);
  EXPECT_EQ(price.at("app").kinds.at(ValueKind::kInteger).offset, Offset(10));
  EXPECT_EQ(price.at("web").kinds.at(ValueKind::kNumberText).example, "6.50");
  const auto& ts = profile.fields().at("ts").at("app").kinds;
  EXPECT_EQ(ts.at(ValueKind::kSeconds).offset, Offset(10));
  EXPECT_EQ(ts.at(ValueKind::kMillis).offset, Offset(11));
}

TEST(FieldProfile, ItsMemoryIsBounded) {
  FieldProfile profile;
  for (int i = 0; i < 3'000; ++i) {
    profile.Observe("{\"f" + std::to_string(i) + "\": 1}", At(i), "p" + std::to_string(i));
  }
  EXPECT_EQ(profile.fields().size(), FieldProfile::kMaxFields);
  EXPECT_EQ(profile.beyond(), 2'000);
  EXPECT_EQ(profile.fields().at("f500").begin()->first, FieldProfile::kOthers);
}

TEST(FieldProfile, KnowsWhatFitsAndWhatIsADrift) {
  ContractField field;
  field.field = FieldOf("at", Type::Of(TypeKind::kTimestamp));
  field.timestamp_format = TimestampFormat::kEpochMillis;
  EXPECT_TRUE(Fits(ValueKind::kMillis, field));
  EXPECT_FALSE(Fits(ValueKind::kSeconds, field));
  EXPECT_TRUE(Fits(ValueKind::kNull, field));
  EXPECT_TRUE(AreDrift(ValueKind::kInteger, ValueKind::kText, false));
  EXPECT_FALSE(AreDrift(ValueKind::kInteger, ValueKind::kNumber, false));
  EXPECT_FALSE(AreDrift(ValueKind::kSeconds, ValueKind::kMillis, false));
  EXPECT_TRUE(AreDrift(ValueKind::kSeconds, ValueKind::kMillis, true));
  EXPECT_TRUE(SoundsLikeTime("created_at"));
  EXPECT_FALSE(SoundsLikeTime("amount"));
}

TEST(FieldProfile, ProposesTheTypeThatTakesAllValues) {
  const auto type_of = [](const std::string& name, const std::vector<ValueKind>& kinds) {
    std::map<ValueKind, KindCount> counts;
    for (const ValueKind kind : kinds) counts[kind].count = 1;
    const auto field = ProposeField(name, counts);
    return field ? weir::ToString(field->field.type) : "none";
  };
  EXPECT_EQ(type_of("coupon", {ValueKind::kText, ValueKind::kNumberText, ValueKind::kNull}),
            "string");
  EXPECT_EQ(type_of("n", {ValueKind::kInteger, ValueKind::kSeconds}), "long");
  EXPECT_EQ(type_of("n", {ValueKind::kInteger, ValueKind::kNumber}), "double");
  EXPECT_EQ(type_of("created_at", {ValueKind::kMillis}), "timestamp");
  EXPECT_EQ(type_of("created_at", {ValueKind::kMillis, ValueKind::kSeconds}), "long");
  EXPECT_EQ(type_of("n", {ValueKind::kInteger, ValueKind::kText}), "none");
  EXPECT_EQ(type_of("n", {ValueKind::kObject}), "none");
  EXPECT_EQ(type_of("n", {ValueKind::kNull}), "none");
}

}  // namespace
}  // namespace weir::codec
