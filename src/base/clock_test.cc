#include "base/clock.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ManualClock, StandsStillUntilToldToMove) {
  ManualClock clock(1'000);
  EXPECT_EQ(clock.Now(), 1'000);
  EXPECT_EQ(clock.Now(), 1'000);
  clock.Advance(5);
  EXPECT_EQ(clock.Now(), 1'005);
  EXPECT_EQ(clock.Monotonic(), 5);
}

TEST(ManualClock, SleepMovesBothClocks) {
  ManualClock clock(0);
  clock.Sleep(7);
  EXPECT_EQ(clock.Now(), 7);
  EXPECT_EQ(clock.Monotonic(), 7);
}

TEST(ManualClock, AWallClockJumpLeavesTheMonotonicClockAlone) {
  ManualClock clock(kMicrosPerDay);
  clock.Advance(10);
  clock.SetWall(0);
  EXPECT_EQ(clock.Now(), 0);
  EXPECT_EQ(clock.Monotonic(), 10);
}

TEST(SystemClock, MonotonicCoversASleep) {
  Clock& clock = SystemClock();
  const Micros before = clock.Monotonic();
  clock.Sleep(2'000);
  EXPECT_GE(clock.Monotonic() - before, 2'000);
}

TEST(SystemClock, WallClockIsInMicrosecondsSince1970) {
  EXPECT_GT(SystemClock().Now(), Micros{DayOf(2024, 1, 1)} * kMicrosPerDay);
  EXPECT_LT(SystemClock().Now(), Micros{DayOf(2200, 1, 1)} * kMicrosPerDay);
}

}  // namespace
}  // namespace weir
