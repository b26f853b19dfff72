#include "engine/ownership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"

namespace weir::engine {
namespace {

using ::testing::ElementsAre;

state::PartitionStanding At(std::int64_t offset) {
  state::PartitionStanding standing;
  standing.next_offset = Offset(offset);
  return standing;
}

class OwnershipTest : public ::testing::Test {
 protected:
  // A record of `writer` that reads partition 0 up to `offset`.
  void PutRecord(const std::string& writer, std::int64_t epoch, std::int64_t since,
                 std::int64_t offset) {
    state::EpochRecord record;
    record.pipeline = "shop";
    record.writer = writer;
    record.epoch = epoch;
    record.topic = "t";
    record.partitions[Partition(0)].since = since;
    record.partitions[Partition(0)].end = At(offset);
    ASSERT_EQ(*log_.PutSlot(writer, epoch, state::Encode(record)), state::PutVerdict::kMine);
  }

  Result<state::Claim> Take(const std::string& writer,
                            const std::map<Partition, state::PartitionStanding>& added = {}) {
    Applier applier(clock_, {}, {});
    ClaimIdentity identity{.pipeline = "shop",
                           .writer = writer,
                           .topic = "t",
                           .topic_id = {},
                           .cluster_id = {},
                           .config_hash = {},
                           .contract = {},
                           .table_uuids = {}};
    return TakeAll(log_, clock_, applier, identity, added, [](auto&) { return Ok(); });
  }

  void Begin(std::int64_t offset) {
    ClaimIdentity identity{.pipeline = "shop",
                           .writer = "w0",
                           .topic = "t",
                           .topic_id = {},
                           .cluster_id = {},
                           .config_hash = {},
                           .contract = {},
                           .table_uuids = {}};
    ASSERT_TRUE(PutFirstClaim(log_, clock_, 0, identity, {{Partition(0), At(offset)}}));
  }

  ManualClock clock_{0};
  std::unique_ptr<io::Store> store_ = io::NewMemoryStore(clock_);
  state::StateLog log_{*store_};
};

TEST_F(OwnershipTest, TheFirstWriterStartsWhereTheFirstClaimSays) {
  Begin(17);
  auto claim = Take("w1");
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->number, 1);
  EXPECT_EQ(claim->partitions.at(Partition(0)).owner, "w1");
  EXPECT_EQ(claim->partitions.at(Partition(0)).start.next_offset, Offset(17));
}

TEST_F(OwnershipTest, ATakeoverGoesOnAtTheEndOfTheOldLog) {
  Begin(0);
  ASSERT_TRUE(Take("w1"));
  PutRecord("w1", 1, 1, 10);
  PutRecord("w1", 2, 1, 25);
  auto claim = Take("w2");
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->number, 2);
  EXPECT_EQ(claim->partitions.at(Partition(0)).since, 2);
  EXPECT_EQ(claim->partitions.at(Partition(0)).start.next_offset, Offset(25));
  EXPECT_THAT(*log_.Slots("w1"), ElementsAre(1, 2, 3)) << "the seal is the newest";
}

TEST_F(OwnershipTest, AnEmptyLogIsSealedToo) {
  Begin(5);
  ASSERT_TRUE(Take("w1"));
  auto claim = Take("w2");
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->partitions.at(Partition(0)).start.next_offset, Offset(5));
  EXPECT_THAT(*log_.Slots("w1"), ElementsAre(1));
}

TEST_F(OwnershipTest, ASealedWriterCannotRecordAndCannotClaim) {
  Begin(0);
  ASSERT_TRUE(Take("w1"));
  ASSERT_TRUE(Take("w2"));
  EXPECT_EQ(*log_.PutSlot("w1", 1, "a late record"), state::PutVerdict::kTheirs);
  auto again = Take("w1");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kWriterSealed);
}

TEST_F(OwnershipTest, SealingTwiceFindsTheSameSeal) {
  Begin(0);
  ASSERT_TRUE(Take("w1"));
  PutRecord("w1", 1, 1, 10);
  auto first = SealLog(log_, clock_, "a", "w1");
  auto second = SealLog(log_, clock_, "b", "w1");
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->seal_at, 2);
  EXPECT_EQ(second->seal_at, 2);
  EXPECT_EQ(second->records.size(), 1U);
}

TEST_F(OwnershipTest, ARecordOfAnEarlierStayDoesNotCount) {
  state::Claim claim;
  claim.partitions[Partition(0)] = {"w1", 5, At(100)};
  state::EpochRecord earlier;
  earlier.partitions[Partition(0)].since = 2;
  earlier.partitions[Partition(0)].end = At(40);
  SealedLog log{.writer = "w1", .seal_at = 9, .records = {earlier}};
  EXPECT_EQ(StandingsOf(claim, {log}).at(Partition(0)).next_offset, Offset(100));
}

TEST_F(OwnershipTest, NewPartitionsJoinWithoutTouchingTheOthers) {
  Begin(0);
  auto claim = Take("w1");
  ASSERT_TRUE(claim);
  auto grown = AddPartitions(log_, clock_, *claim, {{Partition(1), At(3)}});
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->partitions.at(Partition(0)).since, 1);
  EXPECT_EQ(grown->partitions.at(Partition(1)).since, 2);
  EXPECT_EQ(grown->partitions.at(Partition(1)).start.next_offset, Offset(3));
}

TEST_F(OwnershipTest, ClaimsAreChainedByTheHashOfTheOneBefore) {
  Begin(0);
  auto first = Take("w1");
  auto second = Take("w2");
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->previous_hash.empty());
  EXPECT_NE(first->previous_hash, second->previous_hash);
}

}  // namespace
}  // namespace weir::engine
