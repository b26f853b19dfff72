#include "iceberg/replacement.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using connect::CommitOutcome;
using test::Must;
using test::TestTable;
using testing::ElementsAre;

const connect::TableName kSessions{.levels = {"gold"}, .name = "sessions"};

connect::PartitionValue Number(int value) { return {.number = Int128(value), .text = {}}; }

connect::DataFile SessionFile(const std::string& name, bool open, int partition,
                              std::int64_t rows) {
  connect::DataFile file;
  file.path = "data/" + name + ".parquet";
  file.partition = {Number(open ? 1 : 0), Number(partition)};
  file.record_count = rows;
  file.file_bytes = 1000;
  return file;
}

connect::RowsWhere OpenOf(int partition) {
  return {.columns = {{"is_open", Number(1)}, {"source_partition", Number(partition)}}};
}

class ReplacementTest : public testing::Test {
 protected:
  ReplacementTest() {
    connect::TableDefinition definition;
    definition.name = kSessions;
    definition.schema.fields = {
        {.name = "session_id", .type = Type::Of(TypeKind::kString), .required = true, .doc = {}},
        {.name = "is_open", .type = Type::Of(TypeKind::kBoolean), .required = true, .doc = {}},
        {.name = "source_partition",
         .type = Type::Of(TypeKind::kInt),
         .required = true,
         .doc = {}}};
    definition.partition_by = {{.name = {}, .transform = connect::Transform::kIdentity},
                               {.name = {}, .transform = connect::Transform::kIdentity}};
    definition.partition_sources = {"is_open", "source_partition"};
    Must(lake_.catalog().Create(definition));
    table_ = Must(lake_.catalog().Open(kSessions, "shop"));
  }

  CommitOutcome Commit(std::vector<connect::DataFile> files,
                       std::vector<connect::RowsWhere> replaced) {
    connect::TableCommit commit = TestTable::CommitOf(std::move(files), ++epoch_);
    commit.replaced = std::move(replaced);
    return Must(table_->Commit(*Must(table_->Load()), commit));
  }

  std::vector<std::string> Live() {
    const auto reader = Must(lake_.catalog().Open(kSessions, ""));
    std::vector<std::string> paths;
    for (const auto& file : Must(reader->LiveFiles(*Must(reader->Load()))))
      paths.push_back(file.path.substr(5, file.path.find('.') - 5));
    std::ranges::sort(paths);
    return paths;
  }

  TestTable lake_;
  std::unique_ptr<connect::Table> table_;
  int epoch_ = 0;
};

TEST_F(ReplacementTest, OpenRowsOfAPartitionGiveWayToItsNewOnes) {
  Commit({SessionFile("open0_1", true, 0, 3), SessionFile("open1_1", true, 1, 5)},
         {OpenOf(0), OpenOf(1)});
  Commit({SessionFile("closed0_2", false, 0, 1), SessionFile("open0_2", true, 0, 2)}, {OpenOf(0)});
  EXPECT_THAT(Live(), ElementsAre("closed0_2", "open0_2", "open1_1"));
  const auto version = Must(table_->Load());
  EXPECT_EQ(version->total_records, 8);
  const auto head = table_->Snapshots(*version).back();
  EXPECT_EQ(head.operation, "overwrite");
  EXPECT_EQ(head.summary.at("deleted-data-files"), "1");
  EXPECT_EQ(head.summary.at("deleted-records"), "3");
  EXPECT_EQ(head.summary.at("total-data-files"), "3");
  Commit({}, {OpenOf(0), OpenOf(1)});
  EXPECT_THAT(Live(), ElementsAre("closed0_2"));
}

TEST_F(ReplacementTest, ClosedRowsAreNotWrittenAgain) {
  Commit({SessionFile("closed", false, 0, 1), SessionFile("open", true, 0, 1)}, {OpenOf(0)});
  const auto first = table_->Snapshots(*Must(table_->Load())).back();
  EXPECT_EQ(first.summary.at("manifests-created"), "2") << "one for each fate";
  Commit({SessionFile("open2", true, 0, 1)}, {OpenOf(0)});
  const auto second = table_->Snapshots(*Must(table_->Load())).back();
  EXPECT_EQ(second.summary.at("manifests-kept"), "1");
  EXPECT_EQ(second.summary.at("manifests-replaced"), "1");
}

TEST_F(ReplacementTest, RowsAreFoundInFilesThatOthersWrote) {
  Commit({SessionFile("open_a", true, 0, 1)}, {OpenOf(0)});
  const auto compactor = Must(lake_.catalog().Open(kSessions, ""));
  connect::TableCommit compaction;
  compaction.files = {SessionFile("compacted", true, 0, 1), SessionFile("theirs", false, 0, 4)};
  compaction.replaced = {OpenOf(0)};
  ASSERT_EQ(Must(compactor->Commit(*Must(compactor->Load()), compaction)),
            CommitOutcome::kCommitted);
  Commit({SessionFile("open_b", true, 0, 2)}, {OpenOf(0)});
  EXPECT_THAT(Live(), ElementsAre("open_b", "theirs"));
}

TEST_F(ReplacementTest, NothingToReplaceIsAnAppend) {
  Commit({SessionFile("a", false, 0, 1)}, {OpenOf(0)});
  EXPECT_EQ(table_->Snapshots(*Must(table_->Load())).back().operation, "append");
}

TEST(ReplacementSpecTest, ASpecThatDoesNotKeepTheRowsApartIsRefused) {
  TestTable lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  connect::TableCommit commit = TestTable::CommitOf({}, 2);
  commit.replaced = {{.columns = {{"event_id", {.number = {}, .text = "x"}}}}};
  const auto outcome = table->Commit(*Must(table->Load()), commit);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kTableUnsupported);
  EXPECT_THAT(outcome.error().message, testing::HasSubstr("event_id"));
}

}  // namespace
}  // namespace weir::iceberg
