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
          .contract = {},
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

// --- tables against the state -----------------------------------------------------------------

// A table of one version, or none.
class FixedTable final : public connect::Table {
 public:
  explicit FixedTable(std::shared_ptr<const connect::TableVersion> version)
      : version_(std::move(version)) {}
  const connect::TableName& name() const override { return name_; }
  Result<std::shared_ptr<const connect::TableVersion>> Load() override {
    if (version_) return version_;
    return NotFound("no such table", ErrorCode::kTableMissing);
  }
  Result<connect::CommitOutcome> Commit(const connect::TableVersion&,
                                        const connect::TableCommit&) override {
    return Internal("checks write nothing");
  }
  Status CleanUp() override { return Internal("checks write nothing"); }
  std::string DataFolder(const connect::TableVersion&,
                         const connect::PartitionTuple&) const override {
    return {};
  }
  Result<std::vector<connect::DataFile>> LiveFiles(const connect::TableVersion&) override {
    return std::vector<connect::DataFile>();
  }
  std::vector<connect::SnapshotInfo> Snapshots(const connect::TableVersion&) override { return {}; }
  Result<connect::CommitOutcome> AcceptRollback(const connect::TableVersion&) override {
    return Internal("checks write nothing");
  }

 private:
  connect::TableName name_{{"shop"}, "events"};
  std::shared_ptr<const connect::TableVersion> version_;
};

class FixedCatalog final : public connect::Catalog {
 public:
  std::shared_ptr<const connect::TableVersion> version;
  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName&, std::string) override {
    return std::unique_ptr<connect::Table>(std::make_unique<FixedTable>(version));
  }
  Status Create(const connect::TableDefinition&) override { return Internal("checks only look"); }
  Result<std::vector<connect::TableName>> List() override {
    return std::vector<connect::TableName>();
  }
  Status Check() override { return Ok(); }
  std::string Describe() const override { return "the catalog"; }
};

ErrorCode Agree(std::optional<Position> shown, Position known) {
  auto version = std::make_shared<connect::TableVersion>();
  if (shown) version->progress.emplace().partitions["clicks/0"].position = *shown;
  std::vector<OpenTable> tables(1);
  tables[0].name = "shop.events";
  tables[0].table = std::make_unique<FixedTable>(version);
  auto standings = At(3);
  standings[Partition(0)].tables["shop.events"].position = known;
  return CodeOf(CheckTablesAgree(tables, "clicks", standings));
}

TEST(CheckTablesAgreeTest, TheSamePositionIsFine) {
  EXPECT_EQ(Agree(Position{2, 7}, {2, 7}), ErrorCode::kNone);
  EXPECT_EQ(Agree({}, {}), ErrorCode::kNone);  // nothing was written yet
}

// Hole 23: the state comes from an older backup than the tables.
TEST(CheckTablesAgreeTest, AnOlderStateIsRefused) {
  EXPECT_EQ(Agree(Position{2, 8}, {2, 7}), ErrorCode::kStateMissing);
  EXPECT_EQ(Agree(Position{3, 1}, {2, 7}), ErrorCode::kStateMissing);
}

TEST(CheckTablesAgreeTest, AnOlderTableOrCatalogIsRefused) {
  EXPECT_EQ(Agree(Position{2, 6}, {2, 7}), ErrorCode::kTableRolledBack);
  EXPECT_EQ(Agree(Position{1, 99}, {2, 7}), ErrorCode::kTableRolledBack);
}

TEST(CheckTablesAgreeTest, ATableThatLostItsProgressIsRefused) {
  EXPECT_EQ(Agree({}, {2, 7}), ErrorCode::kProgressLost);
}

TEST(CheckTablesThereTest, AMissingTableIsNotMadeAnew) {
  config::TableSpec spec;
  spec.name = "shop.events";
  FixedCatalog catalog;
  const Status refused = CheckTablesThere(SomeClaim(), {&spec, 1}, catalog);
  EXPECT_EQ(CodeOf(refused), ErrorCode::kTableReplaced);
  EXPECT_THAT(refused.error().message, HasSubstr("shop.events (uuid u1) is gone"));
  spec.name = "shop.more";  // nobody wrote to it yet
  EXPECT_TRUE(CheckTablesThere(SomeClaim(), {&spec, 1}, catalog));
  spec.name = "shop.events";
  catalog.version = std::make_shared<connect::TableVersion>();
  EXPECT_TRUE(CheckTablesThere(SomeClaim(), {&spec, 1}, catalog));
}

TEST(CheckStatePresentTest, RowsThatWouldBeCountedTwiceAreRefusedUnlessAccepted) {
  std::vector<OpenTable> tables(1);
  tables[0].name = "gold.event_windows";
  const auto check = [&tables](std::int64_t rows, const AcceptSet& accepted) {
    auto version = std::make_shared<connect::TableVersion>();
    version->total_records = rows;
    tables[0].at_start = version;
    return CheckStatePresent(tables, "shop", "state", accepted);
  };
  EXPECT_TRUE(check(63, {}));  // rows as they came: tables are shared
  tables[0].spec.windows.emplace();
  EXPECT_TRUE(check(0, {}));
  EXPECT_TRUE(check(63, {Accept::kReplay}));
  const Status refused = check(63, {});
  EXPECT_EQ(CodeOf(refused), ErrorCode::kStateMissing);
  EXPECT_THAT(refused.error().message, HasSubstr("gold.event_windows has 63 rows already"));
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
