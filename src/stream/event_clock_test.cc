#include "stream/event_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kTen = 1'756'720'800 * kMicrosPerSecond;  // 2025-09-01T10:00:00Z
constexpr Partition kP0(0);
constexpr Partition kP1(1);
constexpr Partition kP2(2);

Micros At(int minutes) { return kTen + minutes * kMinute; }

WatermarkRules Rules(Micros delay = 10 * kMinute, std::optional<Micros> idle_after = 5 * kMinute) {
  WatermarkRules rules;
  rules.delay = delay;
  rules.idle_after = idle_after;
  return rules;
}

PartitionClock Heard(Micros max_event_time, std::optional<Micros> floor = {}, bool idle = false) {
  return {max_event_time, floor, idle};
}

SourceState Read(std::int64_t next) { return {.next_offset = Offset(next), .read_to_end = true}; }
SourceState Unread(std::int64_t next) { return {.next_offset = Offset(next)}; }
SourceState Empty() { return {.next_offset = Offset(0), .read_to_end = true, .empty = true}; }

EventClock ClockOf(const std::vector<Partition>& partitions, WatermarkRules rules = Rules()) {
  EventClock clock(rules);
  for (const Partition partition : partitions) clock.Add(partition, {}, 0);
  return clock;
}

TEST(EventClock, ARecordMeetsTheWatermarkBeforeItself) {
  EventClock clock = ClockOf({kP0});
  EXPECT_EQ(clock.Observe(kP0, Offset(0), At(20)), kNoWatermark);
  EXPECT_EQ(clock.Observe(kP0, Offset(1), At(30)), At(10));
  EXPECT_EQ(clock.Observe(kP0, Offset(2), At(20)), At(20));  // equal: on time
  EXPECT_EQ(clock.Observe(kP0, Offset(3), At(25)), At(20));
}

TEST(EventClock, EachPartitionHasItsOwnWatermark) {
  EventClock clock = ClockOf({kP0, kP1});
  clock.Observe(kP0, Offset(0), At(60));
  EXPECT_EQ(clock.Observe(kP1, Offset(0), At(0)), kNoWatermark);
  EXPECT_EQ(clock.Observe(kP1, Offset(1), At(1)), At(-10));
}

TEST(EventClock, ALookBetweenCutsMovesThePipelineWatermarkToTheLeast) {
  EventClock clock = ClockOf({kP0, kP1});
  clock.Look();
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark);
  clock.Observe(kP0, Offset(0), At(60));
  clock.Look();
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark);  // p1 has none
  clock.Observe(kP1, Offset(0), At(30));
  clock.Look();
  EXPECT_EQ(clock.pipeline_watermark(), At(20));
  EXPECT_THAT(clock.TakeDecisions(), IsEmpty());
  clock.Cut(0, {{kP0, Unread(1)}, {kP1, Unread(1)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(20));
}

TEST(EventClock, AnIdlePartitionHoldsALook) {
  EventClock clock(Rules());
  clock.Add(kP0, Heard(At(10), {}, true), 0);
  clock.Add(kP1, Heard(At(10)), 0);
  clock.Observe(kP1, Offset(0), At(60));
  clock.Look();
  EXPECT_EQ(clock.pipeline_watermark(), At(0));
}

TEST(EventClock, WhoJoinsAfterALookJoinsThere) {
  EventClock clock = ClockOf({kP0});
  clock.Observe(kP0, Offset(0), At(60));
  clock.Look();
  EXPECT_EQ(clock.Observe(kP1, Offset(0), At(0)), At(50));
  EXPECT_THAT(clock.TakeDecisions(),
              ElementsAre(Decision{DecisionKind::kJoined, kP1, Offset(0), At(50)}));
}

TEST(EventClock, ThePipelineWatermarkIsTheLeastAndOnlyMovesAtCuts) {
  EventClock clock = ClockOf({kP0, kP1});
  clock.Observe(kP0, Offset(0), At(60));
  clock.Cut(0, {{kP0, Unread(1)}, {kP1, Unread(0)}});
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark);  // p1 has none
  clock.Observe(kP1, Offset(0), At(30));
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark);
  clock.Cut(0, {{kP0, Unread(1)}, {kP1, Unread(1)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(20));
  EXPECT_THAT(clock.TakeDecisions(), IsEmpty());
}

TEST(EventClock, IdlenessNeedsTheWholeTime) {
  EventClock clock = ClockOf({kP0, kP1});
  clock.Observe(kP0, Offset(0), At(60));
  const std::map<Partition, SourceState> source = {{kP0, Unread(1)}, {kP1, Read(0)}};
  clock.Cut(5 * kMinute - 1, source);
  EXPECT_THAT(clock.TakeDecisions(), IsEmpty());
  EXPECT_FALSE(clock.CutIsDue(5 * kMinute - 1, source));
  EXPECT_TRUE(clock.CutIsDue(5 * kMinute, source));
  clock.Cut(5 * kMinute, source);
  EXPECT_THAT(clock.TakeDecisions(), ElementsAre(Decision{DecisionKind::kIdle, kP1, Offset(0)}));
  EXPECT_EQ(clock.pipeline_watermark(), At(50));
  EXPECT_TRUE(clock.partitions().at(kP1).idle);
}

// C025: slow is not idle.
TEST(EventClock, AnUnreadBacklogIsNoIdleness) {
  EventClock clock = ClockOf({kP0, kP1});
  clock.Observe(kP0, Offset(0), At(60));
  clock.Cut(kMicrosPerDay, {{kP0, Unread(1)}, {kP1, Unread(0)}});
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark);
  clock.Cut(2 * kMicrosPerDay, {{kP0, Unread(1)}});  // p1 not reported: taken as unread
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark);
  EXPECT_THAT(clock.TakeDecisions(), IsEmpty());
}

TEST(EventClock, ABacklogFoundAtTheRestartHoldsEvenAnIdlePartition) {
  EventClock clock(Rules());
  clock.SetPipelineWatermark(At(20));
  clock.Add(kP0, Heard(At(30)), 0);
  clock.Add(kP1, Heard(At(0), {}, true), 0);
  clock.Observe(kP0, Offset(9), At(90));
  clock.Cut(kMinute, {{kP0, Unread(10)}, {kP1, Unread(4)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(20));
  EXPECT_THAT(clock.Explain(), HasSubstr("held by partition 1"));
  EXPECT_THAT(clock.Explain(), HasSubstr("not read yet"));
  EXPECT_EQ(clock.Observe(kP1, Offset(4), At(25)), At(20));  // on time by its floor
  clock.Cut(2 * kMinute, {{kP0, Unread(10)}, {kP1, Unread(5)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(20));
  clock.Observe(kP1, Offset(5), At(89));
  clock.Cut(3 * kMinute, {{kP0, Unread(10)}, {kP1, Unread(6)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(79));
}

TEST(EventClock, WithoutIdleAfterASilentPartitionHoldsForEver) {
  EventClock clock = ClockOf({kP0, kP1}, Rules(kMinute, {}));
  clock.Observe(kP0, Offset(0), At(60));
  clock.Cut(365 * kMicrosPerDay, {{kP0, Read(1)}, {kP1, Read(0)}});
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark);
  EXPECT_THAT(clock.Explain(), HasSubstr("partition 1 has had no valid record"));
}

TEST(EventClock, WhoJoinsGetsThePipelineWatermarkAsItsFloor) {
  EventClock clock = ClockOf({kP0, kP1});
  clock.Observe(kP0, Offset(0), At(60));
  clock.Cut(5 * kMinute, {{kP0, Unread(1)}, {kP1, Read(7)}});
  clock.TakeDecisions();
  clock.Observe(kP0, Offset(1), At(90));
  // The floor is that of the last cut, and it already counts for this record.
  EXPECT_EQ(clock.Observe(kP1, Offset(7), At(40)), At(50));
  EXPECT_THAT(clock.TakeDecisions(),
              ElementsAre(Decision{DecisionKind::kJoined, kP1, Offset(7), At(50)}));
  EXPECT_EQ(clock.Observe(kP1, Offset(8), At(50)), At(50));
  EXPECT_EQ(clock.partitions().at(kP1), Heard(At(50), At(50)));
  clock.Cut(5 * kMinute, {{kP0, Unread(2)}, {kP1, Unread(9)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(50));
}

TEST(EventClock, ANewPartitionHoldsTheWatermarkAndJoinsWithAFloor) {
  EventClock clock = ClockOf({kP0});
  clock.Observe(kP0, Offset(0), At(60));
  clock.Cut(0, {{kP0, Read(1)}});
  clock.Observe(kP0, Offset(1), At(70));
  clock.Cut(kMinute, {{kP0, Read(2)}, {kP2, Unread(0)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(50));  // never falls, does not go on
  EXPECT_EQ(clock.Observe(kP2, Offset(0), At(0)), At(50));
  EXPECT_THAT(clock.TakeDecisions(),
              ElementsAre(Decision{DecisionKind::kJoined, kP2, Offset(0), At(50)}));
}

TEST(EventClock, WhoNeverWasIdleDoesNotJoin) {
  EventClock clock = ClockOf({kP0});
  clock.Observe(kP0, Offset(0), At(60));
  clock.Cut(0, {{kP0, Unread(1)}});
  clock.Observe(kP0, Offset(1), At(61));
  EXPECT_THAT(clock.TakeDecisions(), IsEmpty());
}

TEST(EventClock, TimeSpentStoppedIsNoSilence) {
  EventClock clock(Rules());
  clock.SetPipelineWatermark(At(20));
  clock.Add(kP0, Heard(At(30)), 1000 * kMinute);
  clock.Cut(1004 * kMinute, {{kP0, Read(1)}});
  EXPECT_FALSE(clock.partitions().at(kP0).idle);
  clock.Cut(1005 * kMinute, {{kP0, Read(1)}});
  EXPECT_TRUE(clock.partitions().at(kP0).idle);
}

TEST(EventClock, WhenAllAreIdleThePipelineWatermarkStays) {
  EventClock clock = ClockOf({kP0, kP1});
  clock.Observe(kP0, Offset(0), At(30));
  clock.Observe(kP1, Offset(0), At(90));
  clock.Cut(0, {{kP0, Read(1)}, {kP1, Read(1)}});
  clock.Cut(60 * kMinute, {{kP0, Read(1)}, {kP1, Read(1)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(20));
  EXPECT_THAT(clock.Explain(), HasSubstr("all partitions are idle"));
  clock.Cut(90 * kMinute, {{kP0, Read(1)}, {kP1, Read(1)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(20));
}

TEST(EventClock, OneLateCutSeesWhatSeveralWouldHaveSeen) {
  const std::map<Partition, SourceState> source = {{kP0, Read(1)}, {kP1, Read(1)}, {kP2, Read(0)}};
  const auto run = [&](const std::vector<Micros>& cuts) {
    EventClock clock = ClockOf({kP0, kP1, kP2});
    clock.Observe(kP0, Offset(0), At(30));
    clock.Cut(0, source);
    clock.Observe(kP1, Offset(0), At(90));
    clock.Cut(kMinute, source);
    for (const Micros cut : cuts) clock.Cut(cut, source);
    return std::pair(clock.pipeline_watermark(), clock.TakeDecisions());
  };
  const auto one = run({20 * kMinute});
  EXPECT_EQ(one, run({5 * kMinute, 6 * kMinute, 20 * kMinute}));
  EXPECT_EQ(one.first, At(80));
  EXPECT_EQ(one.second.size(), 3U);
}

// C029: the last window closes on a quiet site, and what comes later is late.
TEST(EventClock, SilenceMovesTheWatermarkWhenAsked) {
  WatermarkRules rules = Rules();
  rules.advance_on_silence = true;
  EventClock clock = ClockOf({kP0, kP1}, rules);
  const std::map<Partition, SourceState> source = {{kP0, Read(1)}, {kP1, Read(0)}};
  clock.Observe(kP0, Offset(0), At(5));
  clock.Cut(kMinute, source);
  EXPECT_EQ(clock.pipeline_watermark(), kNoWatermark);
  clock.Cut(7 * kMinute, source);  // 6 minutes of silence
  EXPECT_EQ(clock.pipeline_watermark(), At(1));
  EXPECT_FALSE(clock.CutIsDue(7 * kMinute + kMicrosPerSecond - 1, source));
  EXPECT_TRUE(clock.CutIsDue(7 * kMinute + kMicrosPerSecond, source));
  clock.TakeDecisions();
  clock.Cut(61 * kMinute, source);
  EXPECT_EQ(clock.pipeline_watermark(), At(55));
  EXPECT_THAT(clock.TakeDecisions(),
              ElementsAre(Decision{DecisionKind::kSilence, Partition(), Offset(), At(55)}));
  EXPECT_THAT(clock.Explain(), HasSubstr("silence"));
  EXPECT_EQ(clock.Observe(kP0, Offset(1), At(4)), At(55));
}

TEST(EventClock, NoSilenceWhileSomethingIsUnread) {
  WatermarkRules rules = Rules();
  rules.advance_on_silence = true;
  EventClock clock = ClockOf({kP0}, rules);
  clock.Observe(kP0, Offset(0), At(5));
  clock.Cut(0, {{kP0, Read(1)}});
  clock.Cut(6 * kMinute, {{kP0, Read(1)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(1));
  clock.Cut(9 * kMinute, {{kP0, Unread(1)}});
  EXPECT_EQ(clock.pipeline_watermark(), At(1));
}

TEST(EventClock, AnEmptyPartitionOfABoundedRunDoesNotTakePart) {
  EventClock clock = ClockOf({kP0, kP1}, Rules(10 * kMinute, {}));
  clock.Observe(kP0, Offset(0), At(30));
  const std::map<Partition, SourceState> source = {{kP0, Read(1)}, {kP1, Empty()}};
  EXPECT_TRUE(clock.CutIsDue(0, source));
  clock.Cut(0, source);
  EXPECT_EQ(clock.pipeline_watermark(), At(20));
  EXPECT_THAT(clock.TakeDecisions(), ElementsAre(Decision{DecisionKind::kEmpty, kP1, Offset(0)}));
  EXPECT_FALSE(clock.CutIsDue(0, source));
}

// C026: it makes no difference which partition is drained first.
TEST(EventClock, DrainingOnePartitionAfterTheOtherMakesNothingLate) {
  EventClock clock = ClockOf({kP0, kP1, kP2});
  for (const Partition partition : {kP0, kP1, kP2}) {
    for (int minute = 0; minute < 24 * 60; ++minute) {
      const Micros met = clock.Observe(partition, Offset(minute), At(minute));
      EXPECT_GE(At(minute), met);
      if (minute % 100 == 0) {
        clock.Cut(minute * kMinute, {{kP0, Unread(0)}, {kP1, Unread(0)}, {kP2, Unread(0)}});
      }
    }
  }
  clock.Cut(0, {});
  EXPECT_EQ(clock.pipeline_watermark(), At(24 * 60 - 1 - 10));
}

// C027: what was restored decides as what went on running.
TEST(EventClock, RestoredClocksGoOnWhereTheyWere) {
  EventClock clock = ClockOf({kP0});
  clock.Observe(kP0, Offset(0), At(30));
  clock.Cut(0, {{kP0, Unread(1)}});
  EventClock restored(Rules());
  restored.SetPipelineWatermark(clock.pipeline_watermark());
  for (const auto& [partition, state] : clock.partitions()) restored.Add(partition, state, 0);
  EXPECT_EQ(restored.Observe(kP0, Offset(1), At(5)), At(20));   // late
  EXPECT_EQ(restored.Observe(kP0, Offset(2), At(25)), At(20));  // on time
  EXPECT_EQ(restored.partitions().at(kP0).max_event_time, At(30));
}

TEST(EventClock, RowsAtOnceAreRowsOneByOne) {
  Random random(7);
  EventClock once = ClockOf({kP0, kP1, kP2});
  EventClock single = ClockOf({kP0, kP1, kP2});
  for (int batch = 0; batch < 200; ++batch) {
    std::vector<EventRow> rows(random.Below(20));
    for (EventRow& row : rows) {
      row.partition = Partition(static_cast<std::int32_t>(random.Below(3)));
      row.event_time = At(batch) + static_cast<Micros>(random.Below(40)) * kMinute;
    }
    std::vector<Micros> met;
    met.reserve(rows.size());
    for (const EventRow& row : rows) {
      met.push_back(single.Observe(row.partition, row.offset, row.event_time));
    }
    once.Observe(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].watermark, met[i]);
    std::map<Partition, SourceState> source;
    for (const Partition partition : {kP0, kP1, kP2}) {
      source[partition] = random.Chance(0.5) ? Read(0) : Unread(0);
    }
    const Micros before = once.pipeline_watermark();
    once.Cut(batch * kMinute, source);
    single.Cut(batch * kMinute, source);
    EXPECT_EQ(once.pipeline_watermark(), single.pipeline_watermark());
    EXPECT_GE(once.pipeline_watermark(), before);
    EXPECT_EQ(once.partitions(), single.partitions());
    EXPECT_EQ(once.TakeDecisions(), single.TakeDecisions());
  }
}

}  // namespace
}  // namespace weir::stream
