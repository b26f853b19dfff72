#include "delta/partition_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::delta {
namespace {

using connect::PartitionValue;
using connect::Transform;

PartitionColumn Of(const Type& type, Transform transform = Transform::kIdentity) {
  return {.name = "c", .type = type, .source = type, .transform = transform};
}
PartitionValue Number(Int128 number) { return {.number = number, .text = {}}; }
PartitionValue Text(std::string text) { return {.number = {}, .text = std::move(text)}; }

void ExpectBothWays(const PartitionColumn& column, const PartitionValue& value,
                    const std::string& text) {
  EXPECT_EQ(TextOfValue(column, value), text);
  EXPECT_EQ(ValueOfText(column, text), value) << text;
}

TEST(PartitionValueTest, EveryTypeGoesBothWays) {
  ExpectBothWays(Of(Type::Of(TypeKind::kBoolean)), Number(1), "true");
  ExpectBothWays(Of(Type::Of(TypeKind::kBoolean)), Number(0), "false");
  ExpectBothWays(Of(Type::Of(TypeKind::kInt)), Number(-7), "-7");
  ExpectBothWays(Of(Type::Of(TypeKind::kLong)), Number(INT64_MIN), "-9223372036854775808");
  ExpectBothWays(Of(Type::Decimal(10, 2)), Number(-1230), "-12.30");
  ExpectBothWays(Of(Type::Of(TypeKind::kString)), Text("a/b=c %"), "a/b=c %");
  ExpectBothWays(Of(Type::Of(TypeKind::kTimestamp)), Number(-1), "1969-12-31T23:59:59.999999Z");
  Type wall_clock = Type::Of(TypeKind::kTimestamp);
  wall_clock.zoned = false;
  ExpectBothWays(Of(wall_clock), Number(1'500'000), "1970-01-01 00:00:01.500000");
}

TEST(PartitionValueTest, DatesBefore1970AndFarOnes) {
  ExpectBothWays(Of(Type::Of(TypeKind::kDate)), Number(-1), "1969-12-31");
  ExpectBothWays(Of(Type::Of(TypeKind::kDate)), Number(DayOf(1, 1, 1)), "0001-01-01");
  ExpectBothWays(Of(Type::Of(TypeKind::kDate)), Number(DayOf(12345, 6, 7)), "+12345-06-07");
  ExpectBothWays(Of(Type::Of(TypeKind::kDate)), Number(DayOf(-44, 3, 15)), "-0044-03-15");
}

TEST(PartitionValueTest, TransformsAreColumnsOfTheirOwn) {
  const Type time = Type::Of(TypeKind::kTimestamp);
  ExpectBothWays(Of(time, Transform::kDay), Number(-1), "1969-12-31");
  ExpectBothWays(Of(time, Transform::kHour), Number(-1), "1969-12-31-23");
  ExpectBothWays(Of(time, Transform::kMonth), Number(-1), "1969-12");
  ExpectBothWays(Of(time, Transform::kMonth), Number(680), "2026-09");
  ExpectBothWays(Of(time, Transform::kYear), Number(-1), "1969");
  ExpectBothWays(Of(Type::Of(TypeKind::kString), Transform::kBucket), Number(12), "12");
}

TEST(PartitionValueTest, AnEmptyTextIsNullAndABlankIsNot) {
  const PartitionColumn column = Of(Type::Of(TypeKind::kString));
  EXPECT_EQ(TextOfValue(column, Text("")), std::nullopt);
  EXPECT_EQ(TextOfValue(column, {}), std::nullopt);
  EXPECT_TRUE(ValueOfText(column, "").is_null());
  EXPECT_TRUE(ValueOfText(column, std::nullopt).is_null());
  ExpectBothWays(column, Text(" "), " ");
}

TEST(PartitionValueTest, ForeignFormsOfATime) {
  const PartitionColumn column = Of(Type::Of(TypeKind::kTimestamp));
  for (const char* text : {"2026-09-01 10:00:00", "2026-09-01T10:00:00Z", "2026-09-01 10:00:00.0",
                           "2026-09-01T10:00:00.000000Z"}) {
    EXPECT_EQ(ValueOfText(column, text), Number(Int128{1'788'256'800'000'000})) << text;
  }
}

TEST(PartitionValueTest, NonsenseEqualsNothing) {
  EXPECT_EQ(ValueOfText(Of(Type::Of(TypeKind::kTimestamp)), "32767-12-31 99:00:00").number,
            std::nullopt);
  for (const char* text : {"soon", "2026-13-01", "2026-09-01T", "99999999999999999999", "12x"}) {
    EXPECT_EQ(ValueOfText(Of(Type::Of(TypeKind::kDate)), text), Text(text));
    EXPECT_EQ(ValueOfText(Of(Type::Of(TypeKind::kInt)), text), Text(text));
  }
}

TEST(PartitionValueTest, PathsAreEncodedOnce) {
  const std::string path = "data/kind=a%2Fb c/ü.parquet";
  EXPECT_EQ(EncodePath(path), "data/kind=a%252Fb%20c/%C3%BC.parquet");
  EXPECT_EQ(DecodePath(EncodePath(path)), path);
  EXPECT_EQ(DecodePath("100%"), "100%");
  EXPECT_EQ(DecodePath("%zz%4"), "%zz%4");
}

}  // namespace
}  // namespace weir::delta
