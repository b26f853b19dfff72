#include "parquet/bound.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace weir::parquet {
namespace {

const Type kString = Type::Of(TypeKind::kString);
const Type kBinary = Type::Of(TypeKind::kBinary);
constexpr MetricsMode kTruncate16;
constexpr MetricsMode kFull{.kind = MetricsMode::Kind::kFull};

ValueRange TextRange(std::string low, std::string high) {
  ValueRange range;
  range.empty = false;
  range.low_text = std::move(low);
  range.high_text = std::move(high);
  return range;
}
ValueRange NumberRange(Int128 low, Int128 high) {
  ValueRange range;
  range.empty = false;
  range.low = low;
  range.high = high;
  return range;
}

std::string Repeat(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(UpperBound, RoundsStringsUpByCodePoints) {
  const auto upper = [](const std::string& text) {
    return UpperBound(kString, TextRange(text, text), kTruncate16);
  };
  EXPECT_EQ(upper("AAAAAAAAAAAAAAA\u2022long"), "AAAAAAAAAAAAAAA\u2023");
  EXPECT_EQ(upper(Repeat("A", 15) + "\ud7ff"
                                    "zz"),
            Repeat("A", 15) + "\ue000");
  EXPECT_EQ(upper(Repeat("\U0010ffff", 20)), std::nullopt);
  EXPECT_EQ(upper(Repeat("😀", 20)), Repeat("😀", 15) + "\U0001f601");
  EXPECT_EQ(upper("exactly16letters"), "exactly16letters");
  EXPECT_EQ(upper(Repeat("😀", 16)), Repeat("😀", 16));
  EXPECT_EQ(upper(""), "");
  EXPECT_EQ(upper("0123456789abcdefg"), "0123456789abcdeg");
  EXPECT_EQ(upper("0123456789abcd\U0010ffff\U0010ffff!"), "0123456789abce");
  EXPECT_EQ(upper(Repeat("A", 15) + "\x7f"
                                    "zz"),
            Repeat("A", 15) + "\u0080");
  EXPECT_EQ(upper(Repeat("A", 15) + "\u07ff"
                                    "zz"),
            Repeat("A", 15) + "\u0800");
  EXPECT_EQ(upper(Repeat("A", 15) + "\uffff"
                                    "zz"),
            Repeat("A", 15) + "\U00010000");
}

TEST(LowerBound, CutsStringsByCodePoints) {
  const auto lower = [](const std::string& text) {
    return LowerBound(kString, TextRange(text, text), kTruncate16);
  };
  EXPECT_EQ(lower("AAAAAAAAAAAAAAA\u2022long"), "AAAAAAAAAAAAAAA\u2022");
  EXPECT_EQ(lower("AAAAAAAAAAAAAAA\u2022long")->size(), 18U);
  EXPECT_EQ(lower(Repeat("\U0010ffff", 20)), Repeat("\U0010ffff", 16));
  EXPECT_EQ(lower(""), "");
  EXPECT_EQ(lower("short"), "short");
}

TEST(Bounds, OfBinaryAreCutByBytes) {
  const std::string high = "0123456789abcde\xff\xff";
  EXPECT_EQ(LowerBound(kBinary, TextRange(high, high), kTruncate16), "0123456789abcde\xff");
  EXPECT_EQ(UpperBound(kBinary, TextRange(high, high), kTruncate16), "0123456789abcdf");
  const std::string none = Repeat("\xff", 17);
  EXPECT_EQ(UpperBound(kBinary, TextRange(none, none), kTruncate16), std::nullopt);
  EXPECT_EQ(UpperBound(kBinary, TextRange("", Repeat("\xff", 16)), kTruncate16),
            Repeat("\xff", 16));
}

TEST(Bounds, AreWholeInFullMode) {
  const std::string text = Repeat("\U0010ffff", 20);
  EXPECT_EQ(UpperBound(kString, TextRange("a", text), kFull), text);
  EXPECT_EQ(LowerBound(kString, TextRange(text, text), kFull), text);
}

TEST(Bounds, AreAbsentWhereTheModeOrTheValuesHaveNone) {
  const ValueRange range = NumberRange(1, 2);
  const Type type = Type::Of(TypeKind::kInt);
  EXPECT_EQ(LowerBound(type, range, {.kind = MetricsMode::Kind::kNone}), std::nullopt);
  EXPECT_EQ(UpperBound(type, range, {.kind = MetricsMode::Kind::kCounts}), std::nullopt);
  EXPECT_EQ(LowerBound(type, ValueRange{}, kFull), std::nullopt);
}

TEST(Bounds, UseTheSingleValueForm) {
  const auto lower = [](const Type& type, Int128 value) {
    return *LowerBound(type, NumberRange(value, value), kTruncate16);
  };
  EXPECT_EQ(lower(Type::Of(TypeKind::kBoolean), 1), std::string("\1"));
  EXPECT_EQ(lower(Type::Of(TypeKind::kInt), -2), std::string("\xfe\xff\xff\xff"));
  EXPECT_EQ(lower(Type::Of(TypeKind::kDate), 1), std::string("\1\0\0\0", 4));
  EXPECT_EQ(lower(Type::Of(TypeKind::kLong), 258), std::string("\2\1\0\0\0\0\0\0", 8));
  EXPECT_EQ(lower(Type::Of(TypeKind::kTimestamp), -1), Repeat("\xff", 8));
  EXPECT_EQ(lower(Type::Decimal(10, 2), 1420), std::string("\x05\x8c"));
  EXPECT_EQ(lower(Type::Decimal(38, 0), 128), std::string("\0\x80", 2));
  EXPECT_EQ(lower(Type::Decimal(10, 2), -1), std::string("\xff"));
}

TEST(Bounds, KeepUuidsWhole) {
  const std::string uuid = Repeat("\xff", 16);
  EXPECT_EQ(UpperBound(Type::Of(TypeKind::kUuid), TextRange(uuid, uuid), {.length = 2}), uuid);
}

TEST(PlainLow, StoresDecimalsByTheirPrecision) {
  const ValueRange range = NumberRange(-2, 1420);
  EXPECT_EQ(PlainLow(Type::Decimal(9, 2), range), std::string("\xfe\xff\xff\xff"));
  EXPECT_EQ(PlainHigh(Type::Decimal(18, 2), range), std::string("\x8c\x05\0\0\0\0\0\0", 8));
  EXPECT_EQ(PlainHigh(Type::Decimal(19, 2), range), std::string("\0\0\0\0\0\0\0\x05\x8c", 9));
  EXPECT_EQ(PlainLow(Type::Decimal(38, 2), range), Repeat("\xff", 15) + "\xfe");
}

TEST(ParseMetricsMode, KnowsTheFourModes) {
  EXPECT_EQ(ParseMetricsMode("none")->kind, MetricsMode::Kind::kNone);
  EXPECT_EQ(ParseMetricsMode("counts")->kind, MetricsMode::Kind::kCounts);
  EXPECT_EQ(ParseMetricsMode("full")->kind, MetricsMode::Kind::kFull);
  const auto cut = ParseMetricsMode("truncate(7)");
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->kind, MetricsMode::Kind::kTruncate);
  EXPECT_EQ(cut->length, 7U);
  for (const char* bad : {"", "truncate", "truncate()", "truncate(0)", "truncate(-1)", "all"}) {
    EXPECT_FALSE(ParseMetricsMode(bad).has_value()) << bad;
  }
}

TEST(ModeOf, PrefersTheColumnsOwnMode) {
  connect::FileSettings settings;
  settings.default_metrics_mode = "counts";
  settings.metrics_modes = {{"a.b", "full"}, {"c", "rubbish"}};
  settings.max_default_metrics = 2;
  const auto mode = [&](std::string name, std::size_t index) {
    LeafPath leaf;
    leaf.name = std::move(name);
    return ModeOf(settings, leaf, index).kind;
  };
  EXPECT_EQ(mode("a.b", 50), MetricsMode::Kind::kFull);
  EXPECT_EQ(mode("c", 0), MetricsMode::Kind::kCounts);
  EXPECT_EQ(mode("d", 1), MetricsMode::Kind::kCounts);
  EXPECT_EQ(mode("e", 2), MetricsMode::Kind::kNone);
}

}  // namespace
}  // namespace weir::parquet
