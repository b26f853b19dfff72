#include "engine/twin_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/twin_catalog.h"

namespace weir::engine {
namespace {

using connect::CommitOutcome;
using connect::Lineage;
using testing::SizeIs;

// One side: a table in memory that answers as it is told.
struct Side {
  bool exists = false;
  connect::TableVersion version;
  std::vector<connect::DataFile> files;
  std::vector<CommitOutcome> answers;  // of the next commits; then they are committed
  std::map<std::string, std::string> properties;
  bool keeps_columns = false;
  int commits = 0;
  int changes = 0;
};

class SideTable final : public connect::Table {
 public:
  explicit SideTable(Side& side) : side_(side) {}
  const connect::TableName& name() const override { return name_; }
  Result<std::shared_ptr<const connect::TableVersion>> Load() override {
    if (!side_.exists) return NotFound("no table", ErrorCode::kTableMissing);
    return std::make_shared<const connect::TableVersion>(side_.version);
  }
  Result<CommitOutcome> Commit(const connect::TableVersion&,
                               const connect::TableCommit& commit) override {
    if (!side_.answers.empty()) {
      const CommitOutcome answer = side_.answers.front();
      side_.answers.erase(side_.answers.begin());
      if (answer != CommitOutcome::kCommitted) return answer;
    }
    ++side_.commits;
    if (!side_.version.progress) side_.version.progress.emplace();
    for (const auto& [partition, part] : commit.progress) {
      side_.version.progress->partitions[partition] = part;
    }
    side_.version.lineage = Lineage::kIntact;
    side_.version.snapshot_id = side_.commits;
    for (const auto& file : commit.files) side_.files.push_back(file);
    return CommitOutcome::kCommitted;
  }
  Status CheckEvolve(const connect::TableVersion&, const connect::SchemaChange&) override {
    if (!side_.keeps_columns) return Ok();
    return Unsupported("it keeps its columns", ErrorCode::kTableUnsupported);
  }
  Result<CommitOutcome> Evolve(const connect::TableVersion&,
                               const connect::SchemaChange& change) override {
    if (!side_.answers.empty()) {
      const CommitOutcome answer = side_.answers.front();
      side_.answers.erase(side_.answers.begin());
      if (answer != CommitOutcome::kCommitted) return answer;
    }
    ++side_.changes;
    for (const auto& added : change.added) {
      side_.version.schema.fields.push_back(added.field);
      side_.version.schema.fields.back().id = 50 + side_.changes;
    }
    return CommitOutcome::kCommitted;
  }
  Status CleanUp() override { return Ok(); }
  std::string DataFolder(const connect::TableVersion&,
                         const connect::PartitionTuple&) const override {
    return "data";
  }
  Result<std::vector<connect::DataFile>> LiveFiles(const connect::TableVersion&) override {
    return side_.files;
  }
  std::vector<connect::SnapshotInfo> Snapshots(const connect::TableVersion&) override { return {}; }
  Result<CommitOutcome> AcceptRollback(const connect::TableVersion& base) override {
    return Commit(base, {});
  }

 private:
  connect::TableName name_{.levels = {"n"}, .name = "t"};
  Side& side_;
};

class SideCatalog final : public connect::Catalog {
 public:
  explicit SideCatalog(Side& side) : side_(side) {}
  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName&, std::string) override {
    return std::unique_ptr<connect::Table>(std::make_unique<SideTable>(side_));
  }
  Status Create(const connect::TableDefinition& definition) override {
    if (side_.exists) return Conflict("it is there");
    side_.exists = true;
    side_.properties = definition.properties;
    return Ok();
  }
  Result<std::vector<connect::TableName>> List() override {
    return std::vector<connect::TableName>();
  }
  Status Check() override { return Ok(); }
  std::string Describe() const override { return "here"; }

 private:
  Side& side_;
};

class TwinTableTest : public testing::Test {
 protected:
  TwinTableTest() {
    const auto column = [](int id) {
      return Field{.name = "a", .type = Type::Of(TypeKind::kLong), .id = id, .doc = {}};
    };
    leading_.version.uuid = "one";
    leading_.version.schema.fields = {column(1)};
    following_.version.uuid = "two";
    following_.version.schema.fields = {column(77)};
    following_.version.spec.spec_id = 5;
    catalog_ = NewTwinCatalog(std::make_unique<SideCatalog>(leading_),
                              std::make_unique<SideCatalog>(following_),
                              {.metadata_root = "file:///lake", .following = {{"k", "v"}}});
  }

  std::shared_ptr<const connect::TableVersion> Load() {
    auto version = table_->Load();
    EXPECT_TRUE(version) << version.error().message;
    return *version;
  }
  void Open() {
    const connect::TableName name{.levels = {"n"}, .name = "t"};
    connect::TableDefinition definition;
    definition.name = name;
    EXPECT_TRUE(catalog_->Create(definition));
    table_ = *catalog_->Open(name, "shop");
  }
  static connect::TableCommit Epoch(std::int64_t epoch) {
    connect::TableCommit commit;
    connect::DataFile file;
    file.path = "data/f" + std::to_string(epoch);
    file.record_count = 10;
    file.columns[1].null_count = 4;
    commit.files = {file};
    commit.progress["t/0"] = {{1, epoch}, Offset(epoch)};
    return commit;
  }
  std::int64_t Shown(const connect::TableVersion& version) {
    return version.progress ? version.progress->partitions.at("t/0").position.epoch : 0;
  }

  Side leading_;
  Side following_;
  std::unique_ptr<connect::Catalog> catalog_;
  std::unique_ptr<connect::Table> table_;
};

TEST_F(TwinTableTest, BothSidesAreMadeEachWithItsProperties) {
  Open();
  EXPECT_EQ(leading_.properties.at("write.metadata.path"), "file:///lake/n/t/_iceberg/metadata");
  EXPECT_EQ(following_.properties.at("k"), "v");
  EXPECT_EQ(Load()->uuid, "one/two");
}

TEST_F(TwinTableTest, ACreationThatWasCutShortIsFinished) {
  leading_.exists = true;
  Open();
  EXPECT_TRUE(following_.exists);
  connect::TableDefinition again;
  again.name = {.levels = {"n"}, .name = "t"};
  EXPECT_EQ(catalog_->Create(again).error().kind, ErrorKind::kConflict);
  // But not beside rows that the other side would never get.
  following_.exists = false;
  leading_.version.snapshot_id = 9;
  EXPECT_EQ(catalog_->Create(again).error().code, ErrorCode::kTableMismatch);
}

TEST_F(TwinTableTest, AnEpochIsInBothInTheTermsOfEach) {
  Open();
  EXPECT_EQ(*table_->Commit(*Load(), Epoch(1)), CommitOutcome::kCommitted);
  EXPECT_EQ(Shown(*Load()), 1);
  ASSERT_THAT(following_.files, SizeIs(1));
  EXPECT_EQ(following_.files[0].columns.at(77).null_count, 4);
  EXPECT_EQ(following_.files[0].spec_id, 5);
  EXPECT_EQ(leading_.files[0].columns.at(1).null_count, 4);
}

TEST_F(TwinTableTest, TheSideThatHasItIsPassedOver) {
  Open();
  for (const auto answer : {CommitOutcome::kConflict, CommitOutcome::kUnknown}) {
    const std::int64_t epoch = Shown(*Load()) + 1;
    following_.answers = {answer};
    EXPECT_EQ(*table_->Commit(*Load(), Epoch(epoch)), answer);
    EXPECT_EQ(Shown(*Load()), epoch - 1) << "the pair stands where the slower side stands";
    EXPECT_EQ(*table_->Commit(*Load(), Epoch(epoch)), CommitOutcome::kCommitted);
    EXPECT_EQ(Shown(*Load()), epoch);
  }
  EXPECT_EQ(leading_.commits, 2);
  EXPECT_EQ(following_.commits, 2);
}

TEST_F(TwinTableTest, AConflictOfTheLeadingSideStopsBefore) {
  Open();
  leading_.answers = {CommitOutcome::kConflict};
  EXPECT_EQ(*table_->Commit(*Load(), Epoch(1)), CommitOutcome::kConflict);
  EXPECT_EQ(following_.commits, 0);
}

TEST_F(TwinTableTest, ARollbackOfEitherSideIsOne) {
  Open();
  ASSERT_EQ(*table_->Commit(*Load(), Epoch(1)), CommitOutcome::kCommitted);
  following_.version.lineage = Lineage::kRolledBack;
  EXPECT_EQ(Load()->lineage, Lineage::kRolledBack);
  EXPECT_EQ(*table_->AcceptRollback(*Load()), CommitOutcome::kCommitted);
  EXPECT_EQ(Load()->lineage, Lineage::kIntact);
}

TEST_F(TwinTableTest, AColumnIsAddedToBothOrToNone) {
  Open();
  connect::SchemaChange change;
  change.added.push_back(
      {.parent = {}, .field = {.name = "b", .type = Type::Of(TypeKind::kString), .doc = {}}});
  following_.keeps_columns = true;
  EXPECT_EQ(table_->CheckEvolve(*Load(), change).error().code, ErrorCode::kTableUnsupported);
  EXPECT_FALSE(table_->Evolve(*Load(), change));
  EXPECT_EQ(leading_.changes, 0);
  following_.keeps_columns = false;
  EXPECT_EQ(*table_->Evolve(*Load(), change), CommitOutcome::kCommitted);
  EXPECT_THAT(Load()->schema.fields, SizeIs(2));
  EXPECT_EQ(leading_.changes + following_.changes, 2);
}

// As after a crash between the two: the pair shows what both have, and is brought together.
TEST_F(TwinTableTest, AColumnThatOneSideHasIsBroughtToTheOther) {
  Open();
  connect::SchemaChange change;
  change.added.push_back(
      {.parent = {}, .field = {.name = "b", .type = Type::Of(TypeKind::kString), .doc = {}}});
  following_.answers = {CommitOutcome::kUnknown};
  EXPECT_EQ(*table_->Evolve(*Load(), change), CommitOutcome::kUnknown);
  EXPECT_THAT(leading_.version.schema.fields, SizeIs(2));
  EXPECT_THAT(Load()->schema.fields, SizeIs(1));
  auto& twin = static_cast<TwinTable&>(*table_);
  EXPECT_THAT(*twin.Disagreements(*Load()), testing::ElementsAre(testing::HasSubstr("column b")));
  EXPECT_EQ(*table_->Commit(*Load(), Epoch(1)), CommitOutcome::kCommitted);
  EXPECT_EQ(*table_->Evolve(*Load(), change), CommitOutcome::kCommitted);
  EXPECT_EQ(leading_.changes, 1) << "the side that has it is passed over";
  EXPECT_THAT(Load()->schema.fields, SizeIs(2));
  EXPECT_THAT(*twin.Disagreements(*Load()), SizeIs(0));
}

TEST_F(TwinTableTest, SidesThatAreNotTheSameTableAreRefused) {
  Open();
  following_.version.schema.fields[0].type = Type::Of(TypeKind::kInt);
  const auto version = table_->Load();
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, ErrorCode::kTableMismatch);
  EXPECT_THAT(version.error().message, testing::HasSubstr("a differs"));
}

TEST_F(TwinTableTest, SidesInDifferentPlacesAreRefused) {
  Open();
  leading_.version.location = "file:///lake/n/t";
  following_.version.location = "file:/lake/n/t/";
  EXPECT_TRUE(table_->Load()) << "two spellings of one place";
  leading_.version.location = "s3://bucket/n/t";
  EXPECT_EQ(table_->Load().error().code, ErrorCode::kTableMismatch);
}

TEST_F(TwinTableTest, WhatDiffersIsSaid) {
  Open();
  ASSERT_EQ(*table_->Commit(*Load(), Epoch(1)), CommitOutcome::kCommitted);
  auto& twin = static_cast<TwinTable&>(*table_);
  EXPECT_THAT(*twin.Disagreements(*Load()), SizeIs(0));
  following_.files[0].path = "compacted";
  EXPECT_THAT(*twin.Disagreements(*Load()), testing::ElementsAre(testing::HasSubstr("0 are in")));
  following_.files[0].record_count = 7;
  EXPECT_THAT(*twin.Disagreements(*Load()), testing::ElementsAre(testing::HasSubstr("3 rows")));
}

}  // namespace
}  // namespace weir::engine
