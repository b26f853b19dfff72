#include "engine/operator_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::engine {
namespace {

using stream::EventRow;
using Source = std::map<Partition, stream::SourceState>;

constexpr Partition kA{0};
constexpr Partition kB{1};

class OperatorClockTest : public ::testing::Test {
 protected:
  static WatermarkRules Rules() {
    WatermarkRules rules;
    rules.delay = 10;
    rules.idle_after = 5;
    return rules;
  }
  static ReplayTarget Target(Micros watermark) {
    return {.ends = {{kA, Offset(10)}, {kB, Offset(10)}}, .idle = {}, .watermark = watermark};
  }
  static Source At(std::int64_t a, std::int64_t b) {
    return {{kA, {.next_offset = Offset(a)}}, {kB, {.next_offset = Offset(b)}}};
  }
  static std::vector<Micros> Watermarks(OperatorClock& clock, std::vector<EventRow> rows,
                                        const std::vector<RecordFloor>& floors = {}) {
    clock.Observe(rows, floors);
    std::vector<Micros> watermarks;
    watermarks.reserve(rows.size());
    for (const EventRow& row : rows) watermarks.push_back(row.watermark);
    return watermarks;
  }
  static EventRow Row(Partition partition, std::int64_t offset, Micros time) {
    return {.row = 0, .partition = partition, .offset = Offset(offset), .event_time = time};
  }
  static OperatorClock Replay(const ReplayTarget& target) {
    OperatorClock clock(Rules(), target);
    clock.Add(kA, {}, 0);
    clock.Add(kB, {}, 0);
    return clock;
  }
};

TEST_F(OperatorClockTest, AFloorHoldsFromItsRecordOnAndNotBefore) {
  OperatorClock clock = Replay(Target(1000));
  EXPECT_THAT(Watermarks(clock, {Row(kA, 0, 100), Row(kA, 1, 101), Row(kA, 2, 102)},
                         {{kA, Offset(1), 500}}),
              ::testing::ElementsAre(kNoWatermark, 500, 500));
}

TEST_F(OperatorClockTest, AFloorOfARecordThatBecameNoRowHoldsForTheNextOne) {
  OperatorClock clock = Replay(Target(1000));
  Watermarks(clock, {Row(kA, 0, 100)}, {{kA, Offset(1), 500}});
  EXPECT_THAT(Watermarks(clock, {Row(kA, 2, 102)}), ::testing::ElementsAre(500));
}

TEST_F(OperatorClockTest, WhatIsUnreadHoldsTheReplayedWatermark) {
  OperatorClock clock = Replay(Target(1000));
  Watermarks(clock, {Row(kA, 0, 900)});
  clock.Cut(0, At(10, 0));
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark) << "B may still hold anything";
  Watermarks(clock, {Row(kB, 0, 300)});
  clock.Cut(100, At(10, 1));
  EXPECT_EQ(clock.pipeline_watermark(), 290);
  EXPECT_TRUE(clock.TakeDecisions().empty()) << "however long it was silent";
}

TEST_F(OperatorClockTest, NothingIsClosedBeyondWhereTheRunStood) {
  OperatorClock clock = Replay(Target(400));
  Watermarks(clock, {Row(kA, 9, 900), Row(kB, 9, 800)});
  clock.Cut(0, At(10, 10));
  EXPECT_EQ(clock.pipeline_watermark(), 400);
}

TEST_F(OperatorClockTest, PartitionsThatWereIdleHoldNothingAtTheEndAndJoinAfterIt) {
  ReplayTarget target = Target(700);
  target.idle.insert(kB);
  OperatorClock clock = Replay(target);
  Watermarks(clock, {Row(kA, 9, 900), Row(kB, 9, 300)});
  EXPECT_TRUE(clock.CutIsDue(0, At(10, 10)));
  clock.Cut(0, At(10, 10));
  EXPECT_EQ(clock.pipeline_watermark(), 700);
  EXPECT_TRUE(clock.partitions().at(kB).idle);
  EXPECT_FALSE(clock.CutIsDue(0, At(10, 10)));
  EXPECT_THAT(Watermarks(clock, {Row(kB, 10, 650)}), ::testing::ElementsAre(700));
}

TEST_F(OperatorClockTest, WithOtherRowsThanThereTheLeastPartitionHolds) {
  OperatorClock clock = Replay(Target(700));
  Watermarks(clock, {Row(kA, 9, 900), Row(kB, 9, 300)});
  clock.Cut(0, At(10, 10));
  EXPECT_EQ(clock.pipeline_watermark(), 290) << "rows of B behind 700 may still come, on time";
}

TEST_F(OperatorClockTest, LiveItIsTheEventClock) {
  OperatorClock clock(Rules(), std::nullopt);
  clock.Add(kA, {}, 0);
  Watermarks(clock, {Row(kA, 0, 100)});
  clock.Cut(1, {{kA, {.next_offset = Offset(1), .read_to_end = true}}});
  EXPECT_EQ(clock.pipeline_watermark(), 90);
  clock.Cut(9, {{kA, {.next_offset = Offset(1), .read_to_end = true}}});
  EXPECT_EQ(clock.TakeDecisions().size(), 1U);
}

}  // namespace
}  // namespace weir::engine
