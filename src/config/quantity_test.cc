#include "config/quantity.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::config {
namespace {

using testing::HasSubstr;

TEST(QuantityTest, DurationsCarryUnits) {
  EXPECT_EQ(*ParseDuration("500ms"), 500 * kMicrosPerMilli);
  EXPECT_EQ(*ParseDuration("1s"), kMicrosPerSecond);
  EXPECT_EQ(*ParseDuration("10m"), 600 * kMicrosPerSecond);
  EXPECT_EQ(*ParseDuration("2h"), 7200 * kMicrosPerSecond);
  EXPECT_EQ(*ParseDuration("5d"), 5 * kMicrosPerDay);
  EXPECT_EQ(*ParseDuration("0s"), 0);
}

TEST(QuantityTest, ABareNumberSaysThatItLacksAUnit) {
  EXPECT_THAT(ParseDuration("5").error().message, HasSubstr("has no unit"));
  EXPECT_THAT(ParseSize("1024").error().message, HasSubstr("has no unit"));
}

TEST(QuantityTest, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "s", "-1s", "1.5s", "1 s", "1S", "1min", "1s2ms", "1e3s", "١s"}) {
    const auto parsed = ParseDuration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kBadValue);
  }
}

TEST(QuantityTest, TooLargeIsAnErrorNotAWrap) {
  EXPECT_THAT(ParseDuration("9223372036854775807d").error().message, HasSubstr("too large"));
  EXPECT_THAT(ParseDuration("99999999999999999999s").error().message, HasSubstr("too large"));
  EXPECT_THAT(ParseSize("8388608TiB").error().message, HasSubstr("too large"));
  EXPECT_THAT(ParseCount("9223372036854775808").error().message, HasSubstr("too large"));
}

TEST(QuantityTest, SizesCarryBinaryUnits) {
  EXPECT_EQ(*ParseSize("1B"), 1);
  EXPECT_EQ(*ParseSize("64KiB"), 64 << 10);
  EXPECT_EQ(*ParseSize("512MiB"), 512LL << 20);
  EXPECT_EQ(*ParseSize("1GiB"), 1LL << 30);
  EXPECT_EQ(*ParseSize("2TiB"), 2LL << 40);
  EXPECT_THAT(ParseSize("512MB").error().message, HasSubstr("MiB"));
  EXPECT_FALSE(ParseSize("512M"));
}

TEST(QuantityTest, CountsMayBeGrouped) {
  EXPECT_EQ(*ParseCount("2_000_000"), 2'000'000);
  EXPECT_EQ(*ParseCount("-7"), -7);
  for (const char* text : {"", "-", "_1", "1_", "1__0", "1.0", "1e6", "0x10", "+1", "1 0"}) {
    EXPECT_FALSE(ParseCount(text)) << text;
  }
}

TEST(QuantityTest, FormatsTheLargestExactUnit) {
  EXPECT_EQ(FormatDuration(90 * kMicrosPerSecond), "90s");
  EXPECT_EQ(FormatDuration(60 * kMicrosPerSecond), "1m");
  EXPECT_EQ(FormatDuration(1500 * kMicrosPerMilli), "1500ms");
  EXPECT_EQ(FormatDuration(5 * kMicrosPerDay), "5d");
  EXPECT_EQ(FormatSize(1000), "1000B");
  EXPECT_EQ(FormatSize(512LL << 20), "512MiB");
}

TEST(QuantityTest, WhatIsFormattedReadsBack) {
  for (const Micros span : {kMicrosPerMilli, 7 * kMicrosPerSecond, 129'600 * kMicrosPerSecond}) {
    EXPECT_EQ(*ParseDuration(FormatDuration(span)), span);
  }
  for (const std::int64_t bytes : {1LL, 1025LL, 3LL << 30}) {
    EXPECT_EQ(*ParseSize(FormatSize(bytes)), bytes);
  }
}

TEST(QuantityTest, TimesNeedAZoneOrAreDates) {
  EXPECT_EQ(*ParseTime("1970-01-01T00:00:01Z"), kMicrosPerSecond);
  EXPECT_EQ(*ParseTime("1970-01-02"), kMicrosPerDay);
  EXPECT_EQ(*ParseTime("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(*ParseTime("1970-01-01T00:00:00.000001Z"), 1);
  EXPECT_EQ(*ParseTime("1969-12-31T23:59:59.5Z"), -500 * kMicrosPerMilli);
  EXPECT_EQ(*ParseTime("2024-02-29"), DayOf(2024, 2, 29) * kMicrosPerDay);
  for (const char* text :
       {"", "2026-11-01T00:00:00", "2026-13-01", "2026-02-29", "2026-11-01 00:00:00Z",
        "2026-11-01T24:00:00Z", "2026-11-01T00:00:60Z", "2026-11-01T00:00:00.Z",
        "2026-11-01T00:00:00.1234567Z", "0000-01-01", "2026-11-1", "1793491200",
        "2026-11-01T00:00:00+19:00", "2026-11-01T00:00:00+0200"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

TEST(QuantityTest, Dates) {
  EXPECT_EQ(*ParseDate("1970-01-02"), 1);
  EXPECT_EQ(*ParseDate("1969-12-31"), -1);
  EXPECT_FALSE(ParseDate("2026-11-01T00:00:00Z"));
  EXPECT_FALSE(ParseDate("2023-02-29"));
}

}  // namespace
}  // namespace weir::config
