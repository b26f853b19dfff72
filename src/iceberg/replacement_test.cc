#include "iceberg/replacement.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iceberg/test_table.h"

namespace weir::iceberg {
namespace {

using connect::CommitOutcome;
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

// Tells what is deleted.
class DeletionStore final : public io::Store {
 public:
  int deletions(const std::string& name) const {
    const auto found = deletions_.find("gold/sessions/data/" + name + ".parquet");
    return found == deletions_.end() ? 0 : found->second;
  }

  Result<io::PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override {
    return store_->PutIfAbsent(key, bytes);
  }
  Status Put(std::string_view key, std::string_view bytes) override {
    return store_->Put(key, bytes);
  }
  Result<std::string> Get(std::string_view key) override { return store_->Get(key); }
  Result<io::ObjectInfo> Head(std::string_view key) override { return store_->Head(key); }
  Result<std::vector<io::ObjectInfo>> List(std::string_view prefix) override {
    return store_->List(prefix);
  }
  Status Delete(std::string_view key) override {
    ++deletions_[std::string(key)];
    return store_->Delete(key);
  }
  Result<std::unique_ptr<io::OutputStream>> Create(std::string_view key) override {
    return store_->Create(key);
  }
  std::string Describe() const override { return store_->Describe(); }

 private:
  std::unique_ptr<io::Store> store_ = io::NewMemoryStore();
  std::map<std::string, int> deletions_;
};

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

  std::shared_ptr<DeletionStore> store_ = std::make_shared<DeletionStore>();
  TestTable lake_{store_};
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

// Manifests are merged on the way, and what they show is known from earlier clean-ups.
TEST_F(ReplacementTest, ReplacedFilesGoOnceWhenNothingShowsThem) {
  const connect::ExpiryPolicy policy{
      .max_age = 0, .keep_at_least = 10, .keep_at_most = 10, .reader_grace = 0};
  constexpr int kCommits = 250;
  for (int i = 1; i <= kCommits; ++i) {
    lake_.clock().Advance(kMicrosPerSecond);
    const std::string number = std::to_string(i);
    connect::TableCommit commit = TestTable::CommitOf(
        {SessionFile("closed_" + number, false, 0, 1), SessionFile("open_" + number, true, 0, 1)},
        i);
    commit.replaced = {OpenOf(0)};
    commit.expiry = policy;
    ASSERT_EQ(Must(table_->Commit(*Must(table_->Load()), commit)), CommitOutcome::kCommitted);
    Must(table_->CleanUp());
  }
  for (int i = 1; i <= kCommits; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(store_->deletions("closed_" + number), 0) << i;
    // Ten snapshots are kept, and each shows the open file of its own.
    EXPECT_EQ(store_->deletions("open_" + number), i <= kCommits - 10 ? 1 : 0) << i;
  }
  EXPECT_EQ(Live().size(), kCommits + 1U);
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
