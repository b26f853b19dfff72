#include "base/time.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Time, FloorDayRoundsTowardsThePast) {
  EXPECT_EQ(FloorDay(0), 0);
  EXPECT_EQ(FloorDay(kMicrosPerDay - 1), 0);
  EXPECT_EQ(FloorDay(kMicrosPerDay), 1);
  EXPECT_EQ(FloorDay(-1), -1);
  EXPECT_EQ(FloorDay(-kMicrosPerDay), -1);
  EXPECT_EQ(FloorDay(-kMicrosPerDay - 1), -2);
}

TEST(Time, FormatsMoments) {
  EXPECT_EQ(FormatTime(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(-1), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(FormatTime(1'788'256'800'123'456), "2026-09-01T10:00:00.123456Z");
  EXPECT_EQ(FormatTime(1'788'256'800'000'001), "2026-09-01T10:00:00.000001Z");
  EXPECT_EQ(FormatTime(951'782'400'000'000), "2000-02-29T00:00:00Z");
  EXPECT_EQ(FormatTime(-62'135'596'800'000'000), "0001-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(253'402'300'799'999'999), "9999-12-31T23:59:59.999999Z");
}

TEST(Time, FormatsMomentsOutsideFourDigitYearsWithASign) {
  EXPECT_EQ(FormatTime(253'402'300'800'000'000), "+10000-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(-62'167'219'200'000'001), "-0001-12-31T23:59:59.999999Z");
  EXPECT_EQ(FormatTime(INT64_MAX), "+294247-01-10T04:00:54.775807Z");
  EXPECT_EQ(FormatTime(INT64_MIN), "-290308-12-21T19:59:05.224192Z");
}

TEST(Time, FormatDayIsTheInverseOfDayOf) {
  EXPECT_EQ(FormatDay(DayOf(2026, 9, 1)), "2026-09-01");
  EXPECT_EQ(FormatDay(DayOf(1900, 2, 28) + 1), "1900-03-01");
  EXPECT_EQ(FormatDay(DayOf(2024, 2, 28) + 1), "2024-02-29");
  EXPECT_EQ(FormatDay(DayOf(2000, 12, 31)), "2000-12-31");
  EXPECT_EQ(FormatDay(-1), "1969-12-31");
  EXPECT_EQ(FormatDay(DayOf(0, 1, 1)), "0000-01-01");
}

TEST(Time, FormatsSpansForPeople) {
  EXPECT_EQ(FormatSpan(0), "0 us");
  EXPECT_EQ(FormatSpan(999), "999 us");
  EXPECT_EQ(FormatSpan(350'000), "350 ms");
  EXPECT_EQ(FormatSpan(999'999), "999 ms");
  EXPECT_EQ(FormatSpan(1'250'000), "1.2 s");
  EXPECT_EQ(FormatSpan(59'990'000), "59.9 s");
  EXPECT_EQ(FormatSpan(125 * kMicrosPerSecond), "2 m 05 s");
  EXPECT_EQ(FormatSpan(3'900 * kMicrosPerSecond), "1 h 05 m");
  EXPECT_EQ(FormatSpan(2 * kMicrosPerDay + 10'800 * kMicrosPerSecond), "2 d 03 h");
  EXPECT_EQ(FormatSpan(-1'250'000), "-1.2 s");
  EXPECT_EQ(FormatSpan(INT64_MIN), "-106751991 d 04 h");
}

}  // namespace
}  // namespace weir
