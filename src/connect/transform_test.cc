#include "connect/transform.h"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time.h"

namespace weir::connect {
namespace {

const Type kInt = Type::Of(TypeKind::kInt);
const Type kLong = Type::Of(TypeKind::kLong);
const Type kDate = Type::Of(TypeKind::kDate);
const Type kTimestamp = Type::Of(TypeKind::kTimestamp);
const Type kString = Type::Of(TypeKind::kString);
const Type kBinary = Type::Of(TypeKind::kBinary);
const Type kUuid = Type::Of(TypeKind::kUuid);
const Type kDecimal = Type::Decimal(9, 2);

// 2017-11-16T22:31:08Z, the moment that the spec's examples use.
constexpr Micros kSpecTime =
    DayOf(2017, 11, 16) * kMicrosPerDay + ((22 * 60 + 31) * 60 + 8) * kMicrosPerSecond;

std::int64_t HashOfLong(std::int64_t value) {
  return static_cast<std::int32_t>(Murmur3({reinterpret_cast<const char*>(&value), sizeof value}));
}
std::int64_t HashOfText(std::string_view text) { return static_cast<std::int32_t>(Murmur3(text)); }
std::int64_t HashOfDecimal(Int128 value) { return HashOfText(DecimalBytes(value)); }

std::int64_t Number(Transform transform, int width, const Type& type, Int128 value) {
  return static_cast<std::int64_t>(TransformNumber(transform, width, type, value));
}

TEST(Murmur3, MatchesTheVectorsOfTheSpec) {
  EXPECT_EQ(HashOfLong(34), 2017239379);
  EXPECT_EQ(HashOfDecimal(1420), -500754589);
  EXPECT_EQ(HashOfLong(DayOf(2017, 11, 16)), -653330422);
  EXPECT_EQ(HashOfLong(81'068'000'000), -662762989);
  EXPECT_EQ(HashOfLong(kSpecTime), -2047944441);
  EXPECT_EQ(HashOfLong(kSpecTime + 1), -1207196810);
  EXPECT_EQ(HashOfText("iceberg"), 1210000089);
  EXPECT_EQ(HashOfText(std::string(
                "\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7", 16)),
            1488055340);
  EXPECT_EQ(HashOfText(std::string("\x00\x01\x02\x03", 4)), -188683207);
}

TEST(Murmur3, MatchesFurtherVectors) {
  EXPECT_EQ(HashOfText(""), 0);
  EXPECT_EQ(HashOfText("abc"), -1277324294);
  EXPECT_EQ(HashOfText("é"), 269551495);
  EXPECT_EQ(HashOfText("日本"), -992347838);
  EXPECT_EQ(HashOfLong(-1), 1651860712);
  EXPECT_EQ(HashOfLong(0), 1669671676);
  EXPECT_EQ(HashOfLong(-34), -2117612851);
  EXPECT_EQ(HashOfLong(std::numeric_limits<std::int64_t>::max()), -2106506049);
  EXPECT_EQ(HashOfLong(std::numeric_limits<std::int64_t>::min()), 1366273829);
  EXPECT_EQ(HashOfDecimal(-1), -43192051);
  EXPECT_EQ(HashOfDecimal(0), 1364076727);
  EXPECT_EQ(HashOfDecimal(128), 1544076949);
}

TEST(TransformNumber, PutsNumbersIntoBuckets) {
  EXPECT_EQ(Number(Transform::kBucket, 16, kLong, -1), 8);
  EXPECT_EQ(Number(Transform::kBucket, 16, kLong, 0), 12);
  EXPECT_EQ(Number(Transform::kBucket, 16, kLong, -34), 13);
  EXPECT_EQ(Number(Transform::kBucket, 16, kLong, std::numeric_limits<std::int64_t>::max()), 15);
  EXPECT_EQ(Number(Transform::kBucket, 16, kLong, std::numeric_limits<std::int64_t>::min()), 5);
  EXPECT_EQ(Number(Transform::kBucket, 100, kInt, 34), (2017239379 & 0x7fffffff) % 100);
  EXPECT_EQ(Number(Transform::kBucket, 100, kDecimal, 1420), (-500754589 & 0x7fffffff) % 100);
}

TEST(TransformNumber, TruncatesTowardsMinusInfinity) {
  const std::array<std::pair<int, int>, 6> cases{
      {{10, 10}, {11, 10}, {-1, -10}, {-5, -10}, {-10, -10}, {-11, -20}}};
  for (const auto& [value, truncated] : cases) {
    EXPECT_EQ(Number(Transform::kTruncate, 10, kInt, value), truncated) << value;
    EXPECT_EQ(Number(Transform::kTruncate, 10, kLong, value), truncated) << value;
  }
  EXPECT_EQ(Number(Transform::kTruncate, 10, kDecimal, 1234), 1230);
  EXPECT_EQ(Number(Transform::kTruncate, 10, kDecimal, -5), -10);
}

TEST(TransformNumber, TruncateWrapsAroundBesideTheSmallestValue) {
  EXPECT_EQ(Number(Transform::kTruncate, 10, kInt, std::numeric_limits<std::int32_t>::min()),
            2'147'483'646);
  EXPECT_EQ(Number(Transform::kTruncate, 10, kLong, std::numeric_limits<std::int64_t>::min()),
            9'223'372'036'854'775'806);
}

TEST(TransformNumber, CountsTimeFrom1970) {
  constexpr Micros kTime =
      DayOf(2017, 12, 1) * kMicrosPerDay + ((10 * 60 + 12) * 60 + 55) * kMicrosPerSecond + 38'194;
  EXPECT_EQ(Number(Transform::kYear, 0, kTimestamp, kTime), 47);
  EXPECT_EQ(Number(Transform::kMonth, 0, kTimestamp, kTime), 575);
  EXPECT_EQ(Number(Transform::kDay, 0, kTimestamp, kTime), 17501);
  EXPECT_EQ(Number(Transform::kHour, 0, kTimestamp, kTime), 420034);
  EXPECT_EQ(Number(Transform::kYear, 0, kDate, 17501), 47);
  EXPECT_EQ(Number(Transform::kMonth, 0, kDate, 17501), 575);
  EXPECT_EQ(Number(Transform::kDay, 0, kDate, 17501), 17501);
}

TEST(TransformNumber, FloorsTimesBefore1970) {
  for (const Transform transform :
       {Transform::kYear, Transform::kMonth, Transform::kDay, Transform::kHour}) {
    EXPECT_EQ(Number(transform, 0, kTimestamp, -1), -1) << ToString(transform, 0);
  }
  EXPECT_EQ(Number(Transform::kHour, 0, kTimestamp, -3'600'000'001), -2);
  EXPECT_EQ(Number(Transform::kDay, 0, kTimestamp, -86'400'000'000), -1);
  EXPECT_EQ(Number(Transform::kDay, 0, kTimestamp, -86'400'000'001), -2);
  EXPECT_EQ(Number(Transform::kMonth, 0, kDate, DayOf(1969, 1, 1)), -12);
  EXPECT_EQ(Number(Transform::kMonth, 0, kDate, DayOf(1968, 12, 31)), -13);
  EXPECT_EQ(Number(Transform::kYear, 0, kDate, DayOf(1968, 12, 31)), -2);
}

TEST(TransformNumber, HoldsFarYears) {
  EXPECT_EQ(Number(Transform::kDay, 0, kTimestamp, 253'402'300'799'999'999), 2'932'896);
  EXPECT_EQ(Number(Transform::kYear, 0, kTimestamp, 253'402'300'799'999'999), 9999 - 1970);
  EXPECT_EQ(Number(Transform::kYear, 0, kDate, DayOf(1, 1, 1)), 1 - 1970);
  EXPECT_EQ(Number(Transform::kYear, 0, kTimestamp, std::numeric_limits<Micros>::max()),
            294'247 - 1970);
  EXPECT_EQ(Number(Transform::kYear, 0, kTimestamp, std::numeric_limits<Micros>::min()),
            -290'308 - 1970);
}

TEST(TransformText, TruncatesStringsByCodePointsAndBinaryByBytes) {
  const auto text = [](const Type& type, int width, std::string_view value) {
    return *TransformText(Transform::kTruncate, width, type, value).text;
  };
  EXPECT_EQ(text(kString, 3, "iceberg"), "ice");
  EXPECT_EQ(text(kString, 3, "é日😀x"), "é日😀");
  EXPECT_EQ(text(kString, 9, "é日😀x"), "é日😀x");
  EXPECT_EQ(text(kString, 3, ""), "");
  EXPECT_EQ(text(kBinary, 3, "é日"), std::string("é日").substr(0, 3));
}

TEST(TransformText, PutsTextIntoBuckets) {
  const auto bucket = [](const Type& type, std::string_view value) {
    return static_cast<int>(*TransformText(Transform::kBucket, 16, type, value).number);
  };
  EXPECT_EQ(bucket(kString, "abc"), 10);
  EXPECT_EQ(bucket(kString, "é"), 7);
  EXPECT_EQ(bucket(kString, "日本"), 2);
  EXPECT_EQ(bucket(kBinary, std::string("\x00\x01\x02\x03", 4)), (-188683207 & 0x7fffffff) % 16);
  EXPECT_EQ(
      bucket(kUuid,
             std::string("\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7", 16)),
      1488055340 % 16);
}

TEST(TransformRow, GivesNullForNullAndForVoid) {
  Column column(kTimestamp);
  column.AppendLong(kSpecTime);
  column.AppendNull();
  EXPECT_EQ(TransformRow(Transform::kDay, 0, column, 0).number, DayOf(2017, 11, 16));
  EXPECT_TRUE(TransformRow(Transform::kDay, 0, column, 1).is_null());
  EXPECT_TRUE(TransformRow(Transform::kBucket, 4, column, 1).is_null());
  EXPECT_TRUE(TransformRow(Transform::kVoid, 0, column, 0).is_null());
}

TEST(TransformRow, ReadsEveryKindOfColumn) {
  Column flag(Type::Of(TypeKind::kBoolean));
  flag.AppendBoolean(true);
  EXPECT_EQ(TransformRow(Transform::kIdentity, 0, flag, 0).number, Int128{1});
  Column day(kDate);
  day.AppendInt(-3);
  EXPECT_EQ(TransformRow(Transform::kIdentity, 0, day, 0).number, Int128{-3});
  Column price(Type::Decimal(38, 2));
  price.AppendDecimal(-1234);
  EXPECT_EQ(TransformRow(Transform::kIdentity, 0, price, 0).number, Int128{-1234});
  Column name(kString);
  name.AppendString("x y");
  EXPECT_EQ(TransformRow(Transform::kIdentity, 0, name, 0).text, "x y");
  Column id(kUuid);
  std::array<std::uint8_t, 16> bytes{1, 2, 3};
  id.AppendUuid(bytes);
  EXPECT_EQ(TransformRow(Transform::kIdentity, 0, id, 0).text,
            std::string("\x01\x02\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 16));
}

TEST(TransformedType, NamesTheTypeOfTheResult) {
  EXPECT_EQ(*TransformedType(Transform::kDay, 0, kTimestamp), kDate);
  EXPECT_EQ(*TransformedType(Transform::kHour, 0, kTimestamp), kInt);
  EXPECT_EQ(*TransformedType(Transform::kBucket, 4, kString), kInt);
  EXPECT_EQ(*TransformedType(Transform::kTruncate, 4, kDecimal), kDecimal);
  EXPECT_EQ(*TransformedType(Transform::kIdentity, 0, kUuid), kUuid);
}

TEST(TransformedType, RefusesWhatTheSpecDoesNotAllow) {
  const auto refused = [](Transform transform, int width, const Type& type) {
    const auto result = TransformedType(transform, width, type);
    return !result && result.error().code == ErrorCode::kTableUnsupported;
  };
  EXPECT_TRUE(refused(Transform::kHour, 0, kDate));
  EXPECT_TRUE(refused(Transform::kDay, 0, kString));
  EXPECT_TRUE(refused(Transform::kBucket, 4, Type::Of(TypeKind::kDouble)));
  EXPECT_TRUE(refused(Transform::kIdentity, 0, Type::Of(TypeKind::kDouble)));
  EXPECT_TRUE(refused(Transform::kIdentity, 0, Type::List(kInt)));
  EXPECT_TRUE(refused(Transform::kTruncate, 4, kDate));
  EXPECT_TRUE(refused(Transform::kTruncate, 0, kInt));
  EXPECT_TRUE(refused(Transform::kBucket, -1, kInt));
}

TEST(ParseTransform, ReadsWhatToStringWrites) {
  for (const auto& [transform, width] : {std::pair{Transform::kIdentity, 0},
                                         {Transform::kYear, 0},
                                         {Transform::kMonth, 0},
                                         {Transform::kDay, 0},
                                         {Transform::kHour, 0},
                                         {Transform::kVoid, 0},
                                         {Transform::kBucket, 16},
                                         {Transform::kTruncate, 3}}) {
    const auto parsed = ParseTransform(ToString(transform, width));
    ASSERT_TRUE(parsed.has_value()) << ToString(transform, width);
    EXPECT_EQ(parsed->transform, transform);
    EXPECT_EQ(parsed->width, width);
  }
  for (const char* bad : {"", "bucket", "bucket[]", "bucket[0]", "bucket[-1]", "bucket[4", "zorder",
                          "bucket[4]x", "Day"}) {
    EXPECT_FALSE(ParseTransform(bad).has_value()) << bad;
  }
}

TEST(DecimalBytes, AreAsFewAsPossible) {
  const auto hex = [](Int128 value) {
    std::string text;
    for (const char c : DecimalBytes(value)) {
      text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
      text += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
    return text;
  };
  EXPECT_EQ(hex(0), "00");
  EXPECT_EQ(hex(-1), "ff");
  EXPECT_EQ(hex(127), "7f");
  EXPECT_EQ(hex(128), "0080");
  EXPECT_EQ(hex(-128), "80");
  EXPECT_EQ(hex(-129), "ff7f");
  EXPECT_EQ(hex(1420), "058c");
  EXPECT_EQ(DecimalBytes(Int128{1} << 126).size(), 16U);
}

}  // namespace
}  // namespace weir::connect
