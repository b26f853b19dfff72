#include "generate/event_clock.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::generate {
namespace {

constexpr Micros kMidnight = DayOf(2025, 6, 2) * kMicrosPerDay;
constexpr Micros kHour = 3'600 * kMicrosPerSecond;

TEST(EventClock, EvenRateIsExact) {
  EventClock clock(kMidnight, 25, 3);
  Random random(1);
  EXPECT_EQ(clock.Advance(random), kMidnight);
  EXPECT_EQ(clock.Advance(random), kMidnight + 333'333);
  EXPECT_EQ(clock.Advance(random), kMidnight + 666'666);
  EXPECT_EQ(clock.Advance(random), kMidnight + kMicrosPerSecond);
  for (int i = 4; i < 3'000'000; ++i) clock.Advance(random);
  EXPECT_EQ(clock.Advance(random), kMidnight + 1'000'000 * kMicrosPerSecond);
}

TEST(EventClock, DayHasTheMeanRateAndTheCurvesShape) {
  EventClock clock(kMidnight, 2, 0);
  Random random(7);
  std::array<int, 24> hours{};
  int day = 0;
  Micros before = kMidnight;
  for (Micros now = clock.Advance(random); now < kMidnight + kMicrosPerDay;
       now = clock.Advance(random)) {
    EXPECT_GE(now, before);
    before = now;
    ++hours[static_cast<std::size_t>((now - kMidnight) / kHour)];
    ++day;
  }
  EXPECT_NEAR(day, 2 * 86'400, 2 * 864);
  for (std::size_t hour = 0; hour < hours.size(); ++hour) {
    const auto middle = kMidnight + static_cast<Micros>(hour) * kHour + kHour / 2;
    const auto expected = static_cast<int>(DayCurve(middle) * 7'200 / 1'000);
    EXPECT_NEAR(hours[hour], expected, expected / 10.0) << hour;
  }
  EXPECT_GT(hours[20], 5 * hours[3]);
}

TEST(EventClock, CurveHasNoJumpAtMidnightAndWorksBefore1970) {
  EXPECT_EQ(DayCurve(kMidnight), 420U);
  EXPECT_NEAR(static_cast<double>(DayCurve(kMidnight - 1)), 420.0, 1.0);
  EXPECT_EQ(DayCurve(-1), DayCurve(kMicrosPerDay - 1));
}

}  // namespace
}  // namespace weir::generate
