#include "delta/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "delta/test_lake.h"
#include "io/faulty_store.h"

namespace weir::delta {
namespace {

using connect::CommitOutcome;
using connect::Lineage;
using test::TestLake;
using testing::HasSubstr;
using testing::SizeIs;

TEST(DeltaTableTest, ANewTableIsAtTheLowestProtocol) {
  TestLake lake;
  const LogCommit first = lake.Read(0);
  EXPECT_EQ(first.protocol, Protocol{});
  EXPECT_THAT(first.metadata->partition_columns, testing::ElementsAre("event_date", "kind"));
  EXPECT_EQ(first.metadata->Property("weir.partition.event_date"), "day(event_time)");
  EXPECT_THAT(first.metadata->schema_text, HasSubstr("\"event_date\""));
  const auto version = Must(lake.Open()->Load());
  EXPECT_EQ(version->location, "file:///lake/retail/events");
  EXPECT_FALSE(version->snapshot_id);
  EXPECT_FALSE(version->progress);
  // What the files hold: the derived column is not among it.
  EXPECT_THAT(version->schema.fields, SizeIs(4));
  EXPECT_EQ(version->spec.fields[0].transform, connect::Transform::kDay);
  EXPECT_EQ(lake.Open()->DataFolder(*version, {{.number = DayOf(2026, 9, 1), .text = {}},
                                               {.number = {}, .text = "a/b"}}),
            "data/event_date=2026-09-01/kind=a%2Fb");
}

TEST(DeltaTableTest, AMissingTableHasItsCode) {
  TestLake lake;
  const auto table = Must(lake.catalog().Open({.levels = {"retail"}, .name = "nothing"}, "shop"));
  const auto version = table->Load();
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, ErrorCode::kTableMissing);
  EXPECT_EQ(version.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(lake.catalog().Create(TestLake::Definition()).error().kind, ErrorKind::kConflict);
}

TEST(DeltaTableTest, RowsAndProgressAreOneCommit) {
  TestLake lake;
  const auto table = lake.Open();
  const auto base = Must(table->Load());
  connect::TableCommit commit;
  commit.files = {TestLake::File(*base, "a", 10, 0), TestLake::File(*base, "b c", 5, 1, "")};
  commit.progress["events/0"] = {{3, 7}, Offset(100)};
  commit.summary["weir.epoch"] = "7";
  ASSERT_EQ(Must(table->Commit(*base, commit)), CommitOutcome::kCommitted);

  const auto reader = lake.Open();
  const auto version = Must(reader->Load());
  EXPECT_EQ(version->snapshot_id, 1);
  EXPECT_EQ(version->total_records, 15);
  ASSERT_TRUE(version->progress);
  EXPECT_EQ(version->progress->partitions.at("events/0").position, (Position{3, 7}));
  EXPECT_EQ(version->progress->partitions.at("events/0").next_offset, Offset(100));
  EXPECT_EQ(version->lineage, Lineage::kIntact);
  const auto files = Must(reader->LiveFiles(*version));
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[1].path, "data/b c.parquet");
  EXPECT_EQ(files[1].record_count, 5);
  EXPECT_EQ(files[0].partition, commit.files[0].partition);
  EXPECT_TRUE(files[1].partition[1].is_null());  // an empty text is null in a Delta log

  const LogCommit written = lake.Read(1);
  EXPECT_EQ(written.transactions[0].app_id, "shop/events/0");
  EXPECT_EQ(written.transactions[0].version, 3 * (std::int64_t{1} << 32) + 7);
  EXPECT_TRUE(written.transactions[0].updated_ms);
  EXPECT_EQ(written.adds[0].partition_values.at("event_date"), "2026-09-01");
  EXPECT_TRUE(written.info->blind_append);
  EXPECT_FALSE(written.info->attempt.empty());
}

TEST(DeltaTableTest, OtherPartitionsAndPipelinesKeepTheirs) {
  TestLake lake;
  const auto shop = lake.Open("shop");
  const auto audit = lake.Open("audit");
  lake.Append(*shop, 1);
  lake.Append(*audit, 7);
  const auto base = Must(shop->Load());
  connect::TableCommit other;
  other.progress["events/1"] = {{2, 9}, Offset(5)};
  ASSERT_EQ(Must(shop->Commit(*base, other)), CommitOutcome::kCommitted);
  const auto seen = Must(lake.Open("shop")->Load());
  EXPECT_EQ(seen->progress->partitions.at("events/0").position, (Position{1, 1}));
  EXPECT_EQ(seen->progress->partitions.at("events/1").position, (Position{2, 9}));
  EXPECT_EQ(Must(lake.Open("audit")->Load())->progress->partitions.at("events/0").position.epoch,
            7);
}

TEST(DeltaTableTest, WhoLosesTheVersionLooksAgain) {
  TestLake lake;
  const auto one = lake.Open();
  const auto two = lake.Open("other");
  const auto base = Must(one->Load());
  lake.Append(*two, 1);
  connect::TableCommit commit;
  commit.files = {TestLake::File(*base, "a")};
  EXPECT_EQ(Must(one->Commit(*base, commit)), CommitOutcome::kConflict);
  EXPECT_EQ(Must(one->Commit(*Must(one->Load()), commit)), CommitOutcome::kCommitted);
  EXPECT_THAT(Must(one->LiveFiles(*Must(one->Load()))), SizeIs(2));
  // A version that was loaded long ago is no base any more.
  EXPECT_EQ(Must(one->Commit(*base, commit)), CommitOutcome::kConflict);
}

TEST(DeltaTableTest, ALostReplyIsUnknownAndTheNextLookTells) {
  for (const auto lost : {io::StoreFault::kReplyLostDone, io::StoreFault::kReplyLostNotDone}) {
    const auto inner = io::NewMemoryStore();
    const auto faulty = std::make_shared<io::FaultyStore>(*inner, 1);
    TestLake lake(faulty);
    const auto table = lake.Open();
    const auto base = Must(table->Load());
    connect::TableCommit commit;
    commit.files = {TestLake::File(*base, "a")};
    commit.progress["events/0"] = {{1, 1}, Offset(100)};
    faulty->Script(lost, io::StoreCall::kPutIfAbsent, 1, TestLake::Key(CommitName(1)));
    EXPECT_EQ(Must(table->Commit(*base, commit)), CommitOutcome::kUnknown);
    EXPECT_EQ(Must(table->Load())->progress.has_value(), lost == io::StoreFault::kReplyLostDone);
  }
}

// Tells once that a put lost, although it had won: as a client that tried again by itself.
class EchoingStore final : public io::Store {
 public:
  explicit EchoingStore(io::Store& inner) : inner_(inner) {}
  bool echo = false;
  Result<io::PutOutcome> PutIfAbsent(std::string_view key, std::string_view bytes) override {
    auto put = inner_.PutIfAbsent(key, bytes);
    return std::exchange(echo, false) ? io::PutOutcome::kExists : put;
  }
  Status Put(std::string_view key, std::string_view bytes) override {
    return inner_.Put(key, bytes);
  }
  Result<std::string> Get(std::string_view key) override { return inner_.Get(key); }
  Result<io::ObjectInfo> Head(std::string_view key) override { return inner_.Head(key); }
  Result<std::vector<io::ObjectInfo>> List(std::string_view prefix) override {
    return inner_.List(prefix);
  }
  Status Delete(std::string_view key) override { return inner_.Delete(key); }
  Result<std::unique_ptr<io::OutputStream>> Create(std::string_view key) override {
    return inner_.Create(key);
  }
  std::string Describe() const override { return inner_.Describe(); }

 private:
  io::Store& inner_;
};

TEST(DeltaTableTest, TheEchoOfOnesOwnSuccessIsASuccess) {
  const auto inner = io::NewMemoryStore();
  const auto store = std::make_shared<EchoingStore>(*inner);
  TestLake lake(store);
  const auto table = lake.Open();
  store->echo = true;
  EXPECT_EQ(lake.Append(*table, 1), CommitOutcome::kCommitted);
  EXPECT_EQ(lake.Append(*table, 2), CommitOutcome::kCommitted);
  EXPECT_EQ(Must(table->Load())->total_records, 20);
}

TEST(DeltaTableTest, RowsAreReplacedByPartition) {
  TestLake lake;
  const auto table = lake.Open();
  auto base = Must(table->Load());
  connect::TableCommit commit;
  commit.files = {TestLake::File(*base, "a", 1, 0, "open"),
                  TestLake::File(*base, "b", 2, 1, "open"),
                  TestLake::File(*base, "c", 3, 1, "closed")};
  ASSERT_EQ(Must(table->Commit(*base, commit)), CommitOutcome::kCommitted);
  // Somebody compacted: the rows are in a file of another name.
  LogCommit compaction;
  compaction.removes = {{.path = "data/a.parquet",
                         .deleted_ms = {},
                         .data_change = false,
                         .partition_values = {},
                         .size = {}}};
  compaction.adds = {{.path = "part-1.parquet",
                      .partition_values = {{"event_date", "2026-09-01"}, {"kind", "open"}},
                      .size = 9,
                      .data_change = false,
                      .stats = R"({"numRecords":1})",
                      .tags = {}}};
  lake.Foreign(2, CommitToText(compaction));
  base = Must(table->Load());
  EXPECT_EQ(base->total_records, 6);
  connect::TableCommit next;
  next.files = {TestLake::File(*base, "d", 7, 1, "open")};
  next.replaced = {{.columns = {{"kind", {.number = {}, .text = "open"}}}}};
  ASSERT_EQ(Must(table->Commit(*base, next)), CommitOutcome::kCommitted);
  const auto after = Must(lake.Open()->Load());
  EXPECT_EQ(after->total_records, 10);
  const LogCommit written = lake.Read(3);
  ASSERT_THAT(written.removes, SizeIs(2));
  EXPECT_THAT(written.removes,
              testing::UnorderedElementsAre(testing::Field(&RemoveFile::path, "part-1.parquet"),
                                            testing::Field(&RemoveFile::path, "data/b.parquet")));
  EXPECT_EQ(written.removes[1].partition_values->at("kind"), "open");
  EXPECT_TRUE(written.removes[1].deleted_ms);
  // By a column that is no partition the rows cannot be told from others.
  next.replaced = {{.columns = {{"price", {.number = 1, .text = {}}}}}};
  const auto refused = table->Commit(*Must(table->Load()), next);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTableUnsupported);
}

TEST(DeltaTableTest, ARestoreBehindTheProgressIsARollback) {
  TestLake lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  lake.Append(*table, 2);
  lake.Foreign(3, R"({"commitInfo":{"operation":"RESTORE","operationParameters":{"version":2}}}
)");
  EXPECT_EQ(Must(table->Load())->lineage, Lineage::kIntact);  // nothing of ours went
  lake.Foreign(
      4,
      R"({"commitInfo":{"operation":"RESTORE","operationParameters":{"version":1,"timestamp":null}}}
{"remove":{"path":"data/f2.parquet","dataChange":true}}
)");
  EXPECT_EQ(Must(lake.Open()->Load())->lineage, Lineage::kRolledBack);
  const auto base = Must(table->Load());
  EXPECT_EQ(base->lineage, Lineage::kRolledBack);
  EXPECT_EQ(base->progress->snapshot_id, 2);
  EXPECT_EQ(table->Commit(*base, {}).error().code, ErrorCode::kTableRolledBack);
  ASSERT_EQ(Must(table->AcceptRollback(*base)), CommitOutcome::kCommitted);
  EXPECT_EQ(Must(lake.Open()->Load())->lineage, Lineage::kIntact);
  EXPECT_EQ(lake.Append(*table, 3), CommitOutcome::kCommitted);
}

TEST(DeltaTableTest, ALateCommitIntoACleanedSlotIsTakenBack) {
  TestLake lake;
  const auto slow = lake.Open();
  const auto fast = lake.Open("other");
  const auto base = Must(slow->Load());
  for (int i = 1; i <= 120; ++i) {
    lake.Append(*fast, i);
    Must(fast->CleanUp());
  }
  // What stood in the way of the slow one is behind a checkpoint now, and cleaned up.
  for (int version = 0; version < 100; ++version) {
    Must(lake.store().Delete(TestLake::Key(CommitName(version))));
  }
  connect::TableCommit commit;
  commit.files = {TestLake::File(*base, "slow")};
  EXPECT_EQ(Must(slow->Commit(*base, commit)), CommitOutcome::kConflict);
  EXPECT_THAT(lake.Files("00000000000000000001.json"), SizeIs(0));
  EXPECT_EQ(Must(slow->Commit(*Must(slow->Load()), commit)), CommitOutcome::kCommitted);
  EXPECT_THAT(Must(lake.Open()->LiveFiles(*Must(lake.Open()->Load()))), SizeIs(121));
}

TEST(DeltaTableTest, ChangesThatFilesDoNotFitAreRefused) {
  TestLake lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  LogCommit change;
  change.metadata = lake.Read(0).metadata;
  auto& text = change.metadata->schema_text;
  const std::string last = R"({"name":"event_date")";
  text.insert(text.find(last), R"({"name":"note","type":"string","nullable":true,"metadata":{}},)");
  lake.Foreign(2, CommitToText(change));
  EXPECT_EQ(lake.Append(*table, 2), CommitOutcome::kCommitted);  // one more column harms nobody
  text.replace(text.find("decimal(10,2)"), 13, "decimal(12,2)");
  lake.Foreign(4, CommitToText(change));
  const auto refused = table->Load();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTableMismatch);
  EXPECT_THAT(refused.error().message, HasSubstr("price"));
}

TEST(DeltaTableTest, EveryVersionCanBeLookedAt) {
  TestLake lake;
  const auto table = lake.Open();
  for (int i = 1; i <= 3; ++i) lake.Append(*table, i);
  const auto version = Must(table->Load());
  EXPECT_THAT(Must(table->LiveFilesAt(*version, 2)), SizeIs(2));
  EXPECT_THAT(Must(table->LiveFilesAt(*version, 0)), SizeIs(0));
  const auto snapshots = table->Snapshots(*version);
  ASSERT_THAT(snapshots, SizeIs(3));
  EXPECT_EQ(snapshots[2].snapshot_id, 3);
  EXPECT_EQ(snapshots[2].operation, "append");
  EXPECT_EQ(snapshots[2].summary.at("added-records"), "10");
}

}  // namespace
}  // namespace weir::delta
