#include "iceberg/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iceberg/manifest_list.h"
#include "iceberg/progress.h"
#include "iceberg/test_table.h"
#include "io/faulty_store.h"

namespace weir::iceberg {
namespace {

using connect::CommitOutcome;
using connect::Lineage;
using test::TestTable;
using testing::SizeIs;

TEST(IcebergTableTest, AnEmptyTable) {
  TestTable lake;
  const auto table = lake.Open();
  const auto version = Must(table->Load());
  EXPECT_EQ(version->location, "file:///lake/retail/events");
  EXPECT_FALSE(version->snapshot_id);
  EXPECT_FALSE(version->progress);
  EXPECT_EQ(version->total_records, 0);
  EXPECT_EQ(version->spec.fields[0].name, "event_time_day");
  EXPECT_THAT(Must(table->LiveFiles(*version)), SizeIs(0));
  EXPECT_EQ(table->DataFolder(*version, {{.number = DayOf(2026, 9, 1), .text = {}}}),
            "data/event_time_day=2026-09-01");
}

TEST(IcebergTableTest, AMissingTableHasItsCode) {
  TestTable lake;
  const auto table = Must(lake.catalog().Open({.levels = {"retail"}, .name = "nothing"}, "shop"));
  const auto version = table->Load();
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(version.error().code, ErrorCode::kTableMissing);
}

TEST(IcebergTableTest, RowsAndProgressAreOneCommit) {
  TestTable lake;
  const auto table = lake.Open();
  connect::TableCommit commit =
      TestTable::CommitOf({TestTable::File("a", 10, 0), TestTable::File("b", 5, 1)}, 1);
  commit.snapshot_id = 4711;
  commit.summary["weir.writer"] = "w1";
  ASSERT_EQ(Must(table->Commit(*Must(table->Load()), commit)), CommitOutcome::kCommitted);

  const auto reader = lake.Open();
  const auto version = Must(reader->Load());
  EXPECT_EQ(version->snapshot_id, 4711);
  EXPECT_EQ(version->total_records, 15);
  ASSERT_TRUE(version->progress);
  EXPECT_EQ(version->progress->snapshot_id, 4711);
  EXPECT_EQ(version->progress->sequence, 1);
  EXPECT_EQ(version->progress->total_records, 15);
  EXPECT_EQ(version->progress->partitions.at("events/0").next_offset, Offset(100));
  EXPECT_EQ(version->lineage, Lineage::kIntact);
  const auto files = Must(reader->LiveFiles(*version));
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[0].path, "data/a.parquet");
  EXPECT_EQ(files[1].partition, TestTable::File("b", 5, 1).partition);

  const MetadataPtr metadata = lake.Current();
  EXPECT_EQ(metadata->refs.at("weir-shop").snapshot_id, 4711);
  EXPECT_TRUE(metadata->refs.at("weir-shop").is_tag);
  const auto& summary = metadata->head()->summary;
  EXPECT_EQ(summary.at(ProgressKey("shop")), metadata->properties.at(ProgressKey("shop")));
  EXPECT_EQ(summary.at("operation"), "append");
  EXPECT_EQ(summary.at("added-data-files"), "2");
  EXPECT_EQ(summary.at("added-records"), "15");
  EXPECT_EQ(summary.at("total-records"), "15");
  EXPECT_EQ(summary.at("changed-partition-count"), "2");
  EXPECT_EQ(summary.at("weir.writer"), "w1");
}

TEST(IcebergTableTest, OtherPartitionsAndPipelinesKeepTheirs) {
  TestTable lake;
  const auto shop = lake.Open("shop");
  const auto audit = lake.Open("audit");
  lake.Append(*shop, 1);
  lake.Append(*audit, 7);
  connect::TableCommit other;
  other.files = {TestTable::File("x")};
  other.progress["events/1"] = {{2, 9}, Offset(5)};
  ASSERT_EQ(Must(shop->Commit(*Must(shop->Load()), other)), CommitOutcome::kCommitted);
  const auto seen = Must(lake.Open("shop")->Load());
  EXPECT_EQ(seen->progress->partitions.at("events/0").position, (Position{1, 1}));
  EXPECT_EQ(seen->progress->partitions.at("events/1").position, (Position{2, 9}));
  EXPECT_EQ(Must(lake.Open("audit")->Load())->progress->partitions.at("events/0").position.epoch,
            7);
}

TEST(IcebergTableTest, AForeignCommitInBetweenIsAConflictThatLeavesNothing) {
  TestTable lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  const auto base = Must(table->Load());
  lake.Foreign([](Json& document) { document["properties"]["owner"] = "somebody"; });
  const std::size_t files = lake.Files("").size();
  EXPECT_EQ(Must(table->Commit(*base, TestTable::CommitOf({TestTable::File("b")}, 2))),
            CommitOutcome::kConflict);
  EXPECT_EQ(lake.Files("").size(), files);
  EXPECT_EQ(lake.Append(*table, 2), CommitOutcome::kCommitted);
  EXPECT_EQ(lake.Current()->properties.at("owner"), "somebody");
}

TEST(IcebergTableTest, AHeldSnapshotIdIsNotTakenTwice) {
  TestTable lake;
  const auto table = lake.Open();
  connect::TableCommit commit = TestTable::CommitOf({TestTable::File("a")}, 1);
  commit.snapshot_id = 5;
  ASSERT_EQ(Must(table->Commit(*Must(table->Load()), commit)), CommitOutcome::kCommitted);
  ASSERT_EQ(Must(table->Commit(*Must(table->Load()), commit)), CommitOutcome::kCommitted);
  EXPECT_NE(Must(table->Load())->snapshot_id, 5);
}

// Hole 19: two appliers build the same commit at once; the one that loses must not write over, nor
// take away, what the one that won is made of.
TEST(IcebergTableTest, TwoAppliersOfOneRecordShareNoFile) {
  TestTable lake;
  const auto first = lake.Open();
  const auto second = lake.Open();
  connect::TableCommit commit = TestTable::CommitOf({TestTable::File("a")}, 1);
  commit.snapshot_id = 5;
  const auto seen_by_first = Must(first->Load());
  const auto seen_by_second = Must(second->Load());
  ASSERT_EQ(Must(first->Commit(*seen_by_first, commit)), CommitOutcome::kCommitted);
  const auto files = lake.Files("");
  EXPECT_EQ(Must(second->Commit(*seen_by_second, commit)), CommitOutcome::kConflict);
  EXPECT_EQ(lake.Files(""), files);
  const auto reader = lake.Open();
  const auto version = Must(reader->Load());
  EXPECT_EQ(version->snapshot_id, 5);
  EXPECT_THAT(Must(reader->LiveFiles(*version)), SizeIs(1));
}

// Hole 22: a commit that adds no rows takes the progress from the metadata it is based on, never
// from what its process remembers.
TEST(IcebergTableTest, AMaintenanceCommitTakesProgressFromItsBase) {
  TestTable lake;
  const auto old = lake.Open();
  lake.Append(*old, 1);
  const auto remembered = Must(old->Load());
  lake.Append(*lake.Open(), 7);
  EXPECT_EQ(Must(old->AcceptRollback(*remembered)), CommitOutcome::kConflict);
  EXPECT_EQ(Must(old->AcceptRollback(*Must(old->Load()))), CommitOutcome::kCommitted);
  const auto now = Must(lake.Open()->Load());
  EXPECT_EQ(now->progress->partitions.at("events/0").position.epoch, 7);
}

TEST(IcebergTableTest, TimesNeverGoBackwards) {
  TestTable lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  lake.Foreign([](Json& document) {
    document["last-updated-ms"] = document["last-updated-ms"].get<std::int64_t>() + 600'000;
  });
  const std::int64_t ahead = lake.Current()->last_updated_ms;
  lake.Append(*table, 2);
  lake.clock().SetWall(lake.clock().Now() - 3'600 * kMicrosPerSecond);
  lake.Append(*table, 3);
  const MetadataPtr metadata = lake.Current();
  EXPECT_EQ(metadata->FindSnapshot(*metadata->head()->parent_id)->timestamp_ms, ahead + 1);
  EXPECT_EQ(metadata->head()->timestamp_ms, ahead + 2);
  EXPECT_EQ(metadata->last_updated_ms, ahead + 2);
}

TEST(IcebergTableTest, ForeignSchemaAndSpecChangesAreRespected) {
  TestTable lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  lake.Foreign([](Json& document) {
    Json schema = document["schemas"][0];
    schema["schema-id"] = 1;
    schema["fields"].push_back(
        {{"id", 4}, {"name", "extra"}, {"required", false}, {"type", "time"}});
    document["schemas"].push_back(schema);
    document["current-schema-id"] = 1;
    document["last-column-id"] = 4;
    document["partition-specs"].push_back({{"spec-id", 1}, {"fields", Json::array()}});
    document["default-spec-id"] = 1;
  });
  const auto version = Must(table->Load());
  EXPECT_EQ(version->spec.spec_id, 1);
  EXPECT_EQ(table->DataFolder(*version, {}), "data");
  connect::DataFile now = TestTable::File("b");
  now.spec_id = 1;
  now.partition = {};
  // An epoch that was decided before the change brings files of the older spec.
  const auto commit = TestTable::CommitOf({now, TestTable::File("c")}, 2);
  ASSERT_EQ(Must(table->Commit(*version, commit)), CommitOutcome::kCommitted);
  EXPECT_THAT(Must(table->LiveFiles(*Must(lake.Open()->Load()))), SizeIs(3));
  EXPECT_EQ(lake.Current()->head()->schema_id, 1);
}

TEST(IcebergTableTest, FilesThatDoNotFitAreRefused) {
  TestTable lake;
  const auto table = lake.Open();
  const auto base = Must(table->Load());
  connect::DataFile file = TestTable::File("a");
  file.spec_id = 9;
  const auto unknown_spec = table->Commit(*base, TestTable::CommitOf({file}, 1));
  ASSERT_FALSE(unknown_spec);
  EXPECT_EQ(unknown_spec.error().kind, ErrorKind::kInvalidInput);
  file.spec_id = 0;
  file.partition = {};
  EXPECT_FALSE(table->Commit(*base, TestTable::CommitOf({file}, 1)));
}

TEST(IcebergTableTest, ARollbackIsSeenRefusedAndAccepted) {
  TestTable lake;
  const auto table = lake.Open();
  lake.Append(*table, 1);
  const std::int64_t first = *Must(table->Load())->snapshot_id;
  lake.Append(*table, 2);
  lake.RollBackTo(first);
  const auto rolled = Must(table->Load());
  EXPECT_EQ(rolled->lineage, Lineage::kRolledBack);
  const auto refused = table->Commit(*rolled, TestTable::CommitOf({TestTable::File("c")}, 3));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTableRolledBack);

  ASSERT_EQ(Must(table->AcceptRollback(*rolled)), CommitOutcome::kCommitted);
  const auto accepted = Must(lake.Open()->Load());
  EXPECT_EQ(accepted->lineage, Lineage::kIntact);
  EXPECT_EQ(accepted->progress->snapshot_id, *accepted->snapshot_id);
  EXPECT_EQ(accepted->progress->partitions.at("events/0").position.epoch, 2);  // never set back
  EXPECT_EQ(accepted->progress->total_records, 10);
  EXPECT_EQ(lake.Append(*table, 3), CommitOutcome::kCommitted);
  EXPECT_EQ(lake.Current()->refs.at("weir-shop").snapshot_id, lake.Current()->head()->id);
}

TEST(IcebergTableTest, ReadersMayLookAtWhatWritersMustRefuse) {
  TestTable lake;
  lake.Foreign([](Json& document) { document["format-version"] = 1; });
  const auto writer = lake.Open("shop")->Load();
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, ErrorCode::kTableUnsupported);
  EXPECT_TRUE(lake.Open("")->Load());
}

TEST(IcebergTableTest, DataPathsOutsideOfTheTableAreRefused) {
  TestTable lake;
  lake.Foreign([](Json& document) {
    document["properties"]["write.data.path"] = "file:///lake/retail/events/files/";
  });
  const auto table = lake.Open();
  EXPECT_EQ(table->DataFolder(*Must(table->Load()), {{}}), "files/event_time_day=null");
  lake.Foreign([](Json& document) { document["properties"]["write.data.path"] = "/mnt/x"; });
  const auto version = table->Load();
  ASSERT_FALSE(version);
  EXPECT_NE(version.error().message.find("write.data.path"), std::string::npos);
}

// --- lost answers and failing stores -----------------------------------------------------------

class FaultyTableTest : public testing::Test {
 protected:
  FaultyTableTest()
      : memory_(io::NewMemoryStore()),
        faulty_(std::make_shared<io::FaultyStore>(*memory_, 1)),
        lake_(faulty_) {}

  std::unique_ptr<io::Store> memory_;
  std::shared_ptr<io::FaultyStore> faulty_;
  TestTable lake_;
};

TEST_F(FaultyTableTest, AfterALostAnswerNothingIsDeletedAndProgressTells) {
  const auto table = lake_.Open();
  lake_.Append(*table, 1);
  std::int64_t epoch = 1;
  for (const io::StoreFault fault :
       {io::StoreFault::kReplyLostDone, io::StoreFault::kReplyLostNotDone}) {
    ++epoch;

    const auto base = Must(table->Load());
    const std::size_t before = lake_.Files(".avro").size();
    faulty_->Script(fault, io::StoreCall::kPutIfAbsent, 1, fmt::format("{}v", TestTable::kFolder));
    EXPECT_EQ(Must(table->Commit(*base, TestTable::CommitOf({TestTable::File("u")}, epoch))),
              CommitOutcome::kUnknown);
    EXPECT_EQ(lake_.Files(".avro").size(), before + 2);
    const auto after = Must(table->Load());
    const bool landed = fault == io::StoreFault::kReplyLostDone;
    EXPECT_EQ(after->progress->partitions.at("events/0").position.epoch == epoch, landed);
    EXPECT_EQ(*after->snapshot_id != *base->snapshot_id, landed);
  }
}

TEST_F(FaultyTableTest, AFailureBeforeTheSwapIsDefinite) {
  const auto table = lake_.Open();
  lake_.Append(*table, 1);
  const auto base = Must(table->Load());
  const std::size_t before = lake_.Files("").size();
  for (int nth : {1, 2}) {  // the manifest, the manifest list
    faulty_->Script(io::StoreFault::kDiskFull, io::StoreCall::kPutIfAbsent, nth);
    const auto outcome = table->Commit(*base, TestTable::CommitOf({TestTable::File("u")}, 2));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, ErrorKind::kUnavailable);
    EXPECT_EQ(outcome.error().code, ErrorCode::kStorageFull);
    EXPECT_EQ(lake_.Files("").size(), before);
  }
  EXPECT_EQ(lake_.Append(*table, 2), CommitOutcome::kCommitted);
}

// A writer slept while others made, passed and cleaned up the version that it now puts.
TEST_F(FaultyTableTest, AVersionThatWasCleanedUpIsNotCommittedAgain) {
  const auto table = lake_.Open();
  lake_.Append(*table, 1);
  const auto base = Must(table->Load());
  const auto other = lake_.Open("other");
  for (int i = 0; i < 30; ++i) {
    lake_.Append(*other, i + 1);
    Must(other->CleanUp());
  }
  const std::size_t before = lake_.Files(".json").size();
  EXPECT_EQ(Must(table->Commit(*base, TestTable::CommitOf({TestTable::File("late")}, 2))),
            CommitOutcome::kConflict);
  EXPECT_EQ(lake_.Files(".json").size(), before);
  EXPECT_EQ(lake_.Append(*table, 2), CommitOutcome::kCommitted);
  EXPECT_EQ(Must(lake_.Open()->Load())->total_records, 320);
}

}  // namespace
}  // namespace weir::iceberg
