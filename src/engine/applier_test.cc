#include "engine/applier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::engine {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTable = "shop.events";

state::EpochRecord Record(std::int64_t since, std::int64_t epoch, Position before) {
  state::EpochRecord record;
  record.pipeline = "shop";
  record.writer = "w";
  record.epoch = epoch;
  record.topic = "t";
  for (int i : {0, 1}) {
    record.partitions[Partition(i)].since = since;
    record.tables[kTable].before[Partition(i)] = before;
  }
  record.tables[kTable].uuid = "u";
  return record;
}

connect::TableVersion Version(std::optional<Position> zero, std::optional<Position> one) {
  connect::TableVersion version;
  version.uuid = "u";
  if (zero || one) version.progress.emplace();
  if (zero) version.progress->partitions["t/0"].position = *zero;
  if (one) version.progress->partitions["t/1"].position = *one;
  return version;
}

TEST(DecideApplyTest, GoesOnExactlyBeforeTheRecord) {
  EXPECT_EQ(*DecideApply(Record(1, 5, {1, 4}), kTable, Version(Position{1, 4}, Position{1, 4})),
            ApplyDecision::kGoOn);
}

TEST(DecideApplyTest, TheFirstRecordGoesIntoATableWithoutProgress) {
  EXPECT_EQ(*DecideApply(Record(1, 1, {}), kTable, Version({}, {})), ApplyDecision::kGoOn);
}

TEST(DecideApplyTest, SkippedTablesStandFurtherBack) {
  EXPECT_EQ(*DecideApply(Record(1, 9, {1, 2}), kTable, Version(Position{1, 2}, Position{1, 2})),
            ApplyDecision::kGoOn);
}

TEST(DecideApplyTest, IsDoneAtOrAboveItsPosition) {
  for (Position shown : {Position{1, 5}, Position{1, 8}, Position{2, 1}})
    EXPECT_EQ(*DecideApply(Record(1, 5, {1, 4}), kTable, Version(shown, shown)),
              ApplyDecision::kDone);
}

TEST(DecideApplyTest, ANewWritersFirstEpochIsAboveTheOldOnesLast) {
  EXPECT_EQ(*DecideApply(Record(2, 1, {1, 40}), kTable, Version(Position{1, 40}, Position{1, 40})),
            ApplyDecision::kGoOn);
}

TEST(DecideApplyTest, StopsInBetween) {
  for (auto [zero, one] :
       {std::pair(Position{1, 5}, Position{1, 4}), std::pair(Position{1, 3}, Position{1, 5})}) {
    auto decision = DecideApply(Record(1, 5, {1, 4}), kTable, Version(zero, one));
    ASSERT_FALSE(decision);
    EXPECT_EQ(decision.error().kind, ErrorKind::kInternal);
  }
}

TEST(DecideApplyTest, RefusesATableRestoredFromAnOlderCopy) {
  for (auto [zero, one] :
       {std::pair(Position{1, 3}, Position{1, 3}), std::pair(Position{1, 4}, Position{1, 3})}) {
    auto decision = DecideApply(Record(1, 5, {1, 4}), kTable, Version(zero, one));
    ASSERT_FALSE(decision);
    EXPECT_EQ(decision.error().code, ErrorCode::kTableRolledBack);
    EXPECT_THAT(decision.error().message, HasSubstr("older copy"));
  }
}

TEST(DecideApplyTest, RefusesAnotherTableOfThatName) {
  auto version = Version({}, {});
  version.uuid = "other";
  EXPECT_EQ(DecideApply(Record(1, 1, {}), kTable, version).error().code, ErrorCode::kTableReplaced);
}

TEST(DecideApplyTest, RefusesLostProgress) {
  EXPECT_EQ(DecideApply(Record(1, 5, {1, 4}), kTable, Version({}, {})).error().code,
            ErrorCode::kProgressLost);
}

TEST(DecideApplyTest, RefusesARolledBackTableEvenIfProgressFits) {
  auto version = Version(Position{1, 4}, Position{1, 4});
  version.lineage = connect::Lineage::kRolledBack;
  auto decision = DecideApply(Record(1, 5, {1, 4}), kTable, version);
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, ErrorCode::kTableRolledBack);
  EXPECT_THAT(decision.error().remedy, HasSubstr("--accept rollback"));
}

TEST(DecideApplyTest, ExpiredHistoryIsNoRollback) {
  auto version = Version(Position{1, 4}, Position{1, 4});
  version.lineage = connect::Lineage::kExpired;
  EXPECT_EQ(*DecideApply(Record(1, 5, {1, 4}), kTable, version), ApplyDecision::kGoOn);
}

}  // namespace
}  // namespace weir::engine
