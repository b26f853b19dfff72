#include "stream/future_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/event_clock.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kNow = 1'756'720'800 * kMicrosPerSecond;  // 2025-09-01T10:00:00Z

Batch Events(const std::vector<Micros>& times) {
  Schema schema;
  schema.fields.resize(2);
  schema.fields[0].name = "id";
  schema.fields[1].name = "event_time";
  schema.fields[1].type = Type::Of(TypeKind::kTimestamp);
  Batch batch(std::make_shared<Schema>(std::move(schema)));
  for (std::size_t i = 0; i < times.size(); ++i) {
    batch.columns[0].AppendString("a" + std::to_string(i));
    batch.columns[1].AppendLong(times[i]);
    batch.records.push_back(static_cast<std::uint32_t>(10 * i));
  }
  return batch;
}

TEST(FutureCheck, ExactlyTheLimitIsStillGood) {
  const Batch batch = Events({kNow, kNow + 5 * kMinute, kNow + 5 * kMinute + 1, kNow - kMinute});
  std::vector<std::uint32_t> good = {0, 1, 2, 3};
  std::vector<Rejection> rejected;
  RejectFuture(batch, 1, kNow, 5 * kMinute, &good, &rejected);
  EXPECT_THAT(good, ElementsAre(0, 1, 3));
  ASSERT_EQ(rejected.size(), 1U);
  EXPECT_EQ(rejected[0].record, 20U);
  EXPECT_EQ(rejected[0].reason, RejectReason::kEventFromFuture);
  EXPECT_EQ(rejected[0].pointer, "/event_time");
  EXPECT_EQ(rejected[0].actual, "2025-09-01T10:05:00.000001Z");
  EXPECT_THAT(rejected[0].expected, HasSubstr("2025-09-01T10:05:00Z"));
  EXPECT_EQ(rejected[0].message,
            "event_time lies 5 m 00 s in the future: 2025-09-01T10:05:00.000001Z, and it was taken "
            "in at 2025-09-01T10:00:00Z");
}

TEST(FutureCheck, RowsThatWereBadBeforeAreNotLookedAt) {
  const Batch batch = Events({kNow + kMicrosPerDay, kNow});
  std::vector<std::uint32_t> good = {1};
  std::vector<Rejection> rejected;
  RejectFuture(batch, 1, kNow, kMinute, &good, &rejected);
  EXPECT_THAT(good, ElementsAre(1));
  EXPECT_THAT(rejected, IsEmpty());
}

TEST(FutureCheck, TheEndOfTimeDoesNotTurnAround) {
  constexpr Micros kEnd = std::numeric_limits<Micros>::max();
  const Batch batch = Events({kEnd});
  std::vector<std::uint32_t> good = {0};
  std::vector<Rejection> rejected;
  RejectFuture(batch, 0 + 1, kEnd - 5, 10, &good, &rejected);
  EXPECT_THAT(good, ElementsAre(0));
}

// C024: one event from the future, and the honest ones after it are still on time.
TEST(FutureCheck, APoisonousEventMovesNoWatermark) {
  constexpr Micros k2027 = 1'798'761'600 * kMicrosPerSecond;
  constexpr Micros k9999 = 253'402'214'400 * kMicrosPerSecond;
  WatermarkRules rules;
  rules.delay = 10 * kMinute;
  EventClock clock(rules);
  std::size_t late = 0;
  std::vector<Rejection> rejected;
  for (int minute = 0; minute <= 10; ++minute) {
    const Batch batch = Events({minute == 1 ? k2027 : k9999, kNow + minute * kMinute});
    std::vector<std::uint32_t> good = {0, 1};
    RejectFuture(batch, 1, kNow + minute * kMinute, 5 * kMinute, &good, &rejected);
    for (const std::uint32_t row : good) {
      const Micros time = batch.columns[1].Long(row);
      if (time < clock.Observe(Partition(0), Offset(minute), time)) ++late;
    }
    // A restart in between changes nothing.
    EventClock restored(rules);
    restored.Add(Partition(0), clock.partitions().at(Partition(0)), 0);
    clock = restored;
  }
  EXPECT_EQ(late, 0U);
  EXPECT_EQ(rejected.size(), 11U);
  EXPECT_EQ(clock.partitions().at(Partition(0)).max_event_time, kNow + 10 * kMinute);
}

}  // namespace
}  // namespace weir::stream
