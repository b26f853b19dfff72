#include "engine/start_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::engine {
namespace {

using ::testing::HasSubstr;

state::Claim SomeClaim() {
  state::Claim claim;
  claim.pipeline = "shop";
  claim.topic = "clicks";
  claim.topic_id = "id1";
  claim.cluster_id = "c1";
  claim.table_uuids = {{"shop.events", "u1"}};
  return claim;
}

ClaimIdentity SomeIdentity() {
  return {.pipeline = "shop",
          .writer = "w",
          .topic = "clicks",
          .topic_id = "id1",
          .cluster_id = "c1",
          .config_hash = {},
          .table_uuids = {{"shop.events", "u1"}}};
}

ErrorCode CodeOf(const Status& status) { return status ? ErrorCode::kNone : status.error().code; }

TEST(CheckIdentityTest, TheSameIsFine) {
  EXPECT_TRUE(CheckIdentity(SomeClaim(), SomeIdentity(), {}));
}

TEST(CheckIdentityTest, ForeignStateIsRefused) {
  auto now = SomeIdentity();
  now.pipeline = "other";
  EXPECT_EQ(CodeOf(CheckIdentity(SomeClaim(), now, {})), ErrorCode::kForeignPipeline);
}

TEST(CheckIdentityTest, AReplacedTableIsRefused) {
  auto now = SomeIdentity();
  now.table_uuids["shop.events"] = "u2";
  EXPECT_EQ(CodeOf(CheckIdentity(SomeClaim(), now, {})), ErrorCode::kTableReplaced);
}

TEST(CheckIdentityTest, ANewTableIsFine) {
  auto now = SomeIdentity();
  now.table_uuids["shop.more"] = "u9";
  EXPECT_TRUE(CheckIdentity(SomeClaim(), now, {}));
}

TEST(CheckIdentityTest, ARecreatedTopicIsRefusedUnlessAccepted) {
  for (auto change : {+[](ClaimIdentity& id) { id.topic_id = "id2"; },
                      +[](ClaimIdentity& id) { id.cluster_id = "c2"; },
                      +[](ClaimIdentity& id) { id.topic = "clicks2"; }}) {
    auto now = SomeIdentity();
    change(now);
    auto refused = CheckIdentity(SomeClaim(), now, {});
    EXPECT_EQ(CodeOf(refused), ErrorCode::kTopicReplaced);
    EXPECT_THAT(refused.error().remedy, HasSubstr("--accept new-topic"));
    EXPECT_TRUE(CheckIdentity(SomeClaim(), now, {Accept::kNewTopic}));
  }
}

TEST(CheckIdentityTest, WhatABrokerDoesNotTellIsNotHeldAgainstIt) {
  auto now = SomeIdentity();
  now.topic_id.clear();
  EXPECT_TRUE(CheckIdentity(SomeClaim(), now, {}));
}

connect::TopicInfo Topic(std::int64_t begin, std::int64_t end) {
  return {.topic = "clicks",
          .cluster_id = {},
          .topic_id = {},
          .partitions = {{Partition(0), {Offset(begin), Offset(end)}}}};
}

std::map<Partition, state::PartitionStanding> At(std::int64_t offset) {
  std::map<Partition, state::PartitionStanding> standings;
  standings[Partition(0)].next_offset = Offset(offset);
  return standings;
}

TEST(CheckOffsetsTest, BetweenBeginAndEndIsFine) {
  for (std::int64_t at : {10, 15, 20}) {
    auto standings = At(at);
    EXPECT_TRUE(CheckOffsets(Topic(10, 20), {}, standings)) << at;
  }
}

TEST(CheckOffsetsTest, AShorterLogIsRefused) {
  auto standings = At(21);
  EXPECT_EQ(CodeOf(CheckOffsets(Topic(10, 20), {}, standings)), ErrorCode::kLogTruncated);
}

TEST(CheckOffsetsTest, ExpiredOffsetsAreRefusedUnlessAccepted) {
  auto standings = At(3);
  auto refused = CheckOffsets(Topic(10, 20), {}, standings);
  EXPECT_EQ(CodeOf(refused), ErrorCode::kOffsetsExpired);
  EXPECT_THAT(refused.error().message, HasSubstr("offsets 3 to 9"));
  EXPECT_TRUE(CheckOffsets(Topic(10, 20), {Accept::kOffsetGap}, standings));
  EXPECT_EQ(standings[Partition(0)].next_offset, Offset(10));
}

TEST(CheckOffsetsTest, AMissingPartitionIsRefused) {
  auto standings = At(3);
  standings[Partition(7)];
  EXPECT_EQ(CodeOf(CheckOffsets(Topic(0, 20), {}, standings)), ErrorCode::kTopicReplaced);
}

TEST(ParseAcceptTest, KnowsItsNames) {
  for (const char* name : {"replay", "offset-gap", "new-topic", "rollback"})
    EXPECT_TRUE(ParseAccept(name)) << name;
  auto unknown = ParseAccept("everything");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace weir::engine
