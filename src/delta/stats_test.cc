#include "delta/stats.h"

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_document.h"
#include "connect/transform.h"
#include "delta/schema_json.h"
#include "delta/test_lake.h"

namespace weir::delta {
namespace {

template <typename T>
std::string Bytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// A layout of these columns and a file with one metric a leaf.
class Sample {
 public:
  explicit Sample(std::vector<Field> fields, TextMap properties = {}) {
    Metadata metadata;
    metadata.schema_text = Must(SchemaToText({.fields = std::move(fields)}));
    metadata.configuration = std::move(properties);
    layout_ = Must(LayoutOf(metadata));
    file_.record_count = 3;
  }
  void Set(std::size_t leaf, const std::string& low, const std::string& high,
           std::optional<std::int64_t> nans = {}) {
    connect::ColumnMetrics metrics;
    metrics.value_count = 3;
    metrics.null_count = 1;
    metrics.nan_count = nans;
    metrics.lower = low;
    metrics.upper = high;
    file_.columns[layout_->stats.at(leaf).id] = metrics;
  }
  Json Stats() const { return Must(ParseJson(StatsText(*layout_, file_))); }
  const Layout& layout() const { return *layout_; }

 private:
  std::shared_ptr<const Layout> layout_;
  connect::DataFile file_;
};

Field Of(std::string name, Type type) {
  return {.name = std::move(name), .type = std::move(type), .doc = {}};
}

TEST(StatsTest, TimesAreRoundedOutwardsToMilliseconds) {
  Sample sample({Of("t", Type::Of(TypeKind::kTimestamp)), Of("u", Type::Of(TypeKind::kTimestamp))});
  const std::int64_t time = 1'786'392'293'080'758;  // 2026-08-10T20:04:53.080758Z
  sample.Set(0, Bytes(time), Bytes(time));
  sample.Set(1, Bytes(std::int64_t{-1}), Bytes(std::int64_t{-1}));
  const Json stats = sample.Stats();
  EXPECT_EQ(stats["minValues"]["t"], "2026-08-10T20:04:53.080Z");
  EXPECT_EQ(stats["maxValues"]["t"], "2026-08-10T20:04:53.081Z");
  EXPECT_EQ(stats["minValues"]["u"], "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(stats["maxValues"]["u"], "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(stats["numRecords"], 3);
  EXPECT_EQ(stats["nullCount"]["t"], 1);
}

TEST(StatsTest, WhatHasNoSafeFormIsLeftOut) {
  Sample sample({Of("nan", Type::Of(TypeKind::kDouble)), Of("inf", Type::Of(TypeKind::kFloat)),
                 Of("far", Type::Of(TypeKind::kDate)), Of("raw", Type::Of(TypeKind::kBinary)),
                 Of("flag", Type::Of(TypeKind::kBoolean))});
  sample.Set(0, Bytes(1.5), Bytes(2.5), 1);
  sample.Set(1, Bytes(-INFINITY), Bytes(2.5F));
  sample.Set(2, Bytes(std::int32_t{DayOf(-5, 1, 1)}), Bytes(std::int32_t{DayOf(2026, 9, 1)}));
  sample.Set(3, "a", "b");
  sample.Set(4, std::string(1, '\0'), "\1");
  const Json stats = sample.Stats();
  EXPECT_EQ(stats["minValues"].dump(), R"({"nan":1.5})");
  EXPECT_EQ(stats["maxValues"].dump(), R"({"inf":2.5,"far":"2026-09-01"})");
  EXPECT_EQ(stats["nullCount"].size(), 5U);
}

TEST(StatsTest, DecimalsKeepAllDigits) {
  Sample sample({Of("d", Type::Decimal(38, 4))});
  const Int128 low = -(Int128{1'000'000'000'000'000'000} * 1'000'000'000 + 1);
  sample.Set(0, connect::DecimalBytes(low), connect::DecimalBytes(25));
  EXPECT_EQ(StatsText(sample.layout(), {}).find("minValues\":{}") != std::string::npos, true);
  connect::DataFile file;
  file.columns[sample.layout().stats[0].id].lower = connect::DecimalBytes(low);
  EXPECT_NE(StatsText(sample.layout(), file).find("-100000000000000000000000.0001"),
            std::string::npos);
}

TEST(StatsTest, NestedLeavesAreNestedObjects) {
  Sample sample({Of("s", Type::Struct({Of("a", Type::Of(TypeKind::kInt)),
                                       Of("t", Type::Struct({Of("b", Type::Of(TypeKind::kLong))})),
                                       Of("l", Type::List(Type::Of(TypeKind::kInt)))})),
                 Of("quote\"d", Type::Of(TypeKind::kString))});
  sample.Set(0, Bytes(std::int32_t{1}), Bytes(std::int32_t{2}));
  sample.Set(1, Bytes(std::int64_t{3}), Bytes(std::int64_t{4}));
  sample.Set(2, "a\"b", "c\n");
  const Json stats = sample.Stats();
  EXPECT_EQ(stats["minValues"].dump(), R"({"s":{"a":1,"t":{"b":3}},"quote\"d":"a\"b"})");
  EXPECT_EQ(stats["maxValues"]["quote\"d"], "c\n");
}

TEST(StatsTest, TheTableSaysHowManyColumns) {
  std::vector<Field> fields;
  fields.reserve(40);
  for (int i = 0; i < 40; ++i)
    fields.push_back(Of("c" + std::to_string(i), Type::Of(TypeKind::kInt)));
  EXPECT_EQ(Sample(fields).layout().stats.size(), 32U);
  EXPECT_EQ(Sample(fields, {{"delta.dataSkippingNumIndexedCols", "2"}}).layout().stats.size(), 2U);
  EXPECT_EQ(Sample(fields, {{"delta.dataSkippingNumIndexedCols", "-1"}}).layout().stats.size(),
            40U);
  const Sample named(fields, {{"delta.dataSkippingStatsColumns", "c39, `c3`"}});
  EXPECT_EQ(named.layout().stats.size(), 2U);
}

TEST(StatsTest, WholeBoundsAreReadBack) {
  Sample sample({Of("offset", Type::Of(TypeKind::kLong)), Of("n", Type::Of(TypeKind::kInt)),
                 Of("s", Type::Of(TypeKind::kString))});
  sample.Set(0, Bytes(std::int64_t{-5}), Bytes(std::int64_t{1} << 40));
  sample.Set(1, Bytes(std::int32_t{-7}), Bytes(std::int32_t{7}));
  sample.Set(2, "a", "b");
  const auto bounds = WholeBoundsIn(sample.layout(), sample.Stats().dump());
  ASSERT_EQ(bounds.size(), 2U);
  EXPECT_EQ(bounds.at(sample.layout().stats[0].id).upper, Bytes(std::int64_t{1} << 40));
  EXPECT_EQ(bounds.at(sample.layout().stats[1].id).lower, Bytes(std::int32_t{-7}));
  EXPECT_TRUE(WholeBoundsIn(sample.layout(), R"({"minValues":7,"maxValues":{}})").empty());
}

TEST(StatsTest, RowsOfForeignStatistics) {
  EXPECT_EQ(RecordsInStats(R"({"numRecords":7,"other":{}})"), 7);
  EXPECT_EQ(RecordsInStats("{}"), std::nullopt);
  EXPECT_EQ(RecordsInStats("no json"), std::nullopt);
}

}  // namespace
}  // namespace weir::delta
