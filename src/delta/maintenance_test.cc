#include "delta/maintenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "delta/test_lake.h"

namespace weir::delta {
namespace {

using test::TestLake;
using testing::SizeIs;

connect::TableDefinition With(std::map<std::string, std::string> properties) {
  auto definition = TestLake::Definition();
  definition.properties = std::move(properties);
  return definition;
}

TEST(MaintenanceTest, CheckpointsComeAtTheirInterval) {
  TestLake lake(With({{"delta.checkpointInterval", "4"}}));
  const auto table = lake.Open();
  for (int i = 1; i <= 9; ++i) {
    lake.Append(*table, i);
    Must(table->CleanUp());
  }
  EXPECT_THAT(lake.Files(".checkpoint.parquet"), SizeIs(2));
  EXPECT_THAT(Must(lake.store().Get(TestLake::Key("_last_checkpoint"))),
              testing::HasSubstr("\"version\":8,"));
  EXPECT_THAT(lake.Files(".json"), SizeIs(10));  // nothing is old yet
}

TEST(MaintenanceTest, TheLogIsCutBehindAnOldCheckpoint) {
  TestLake lake(With(
      {{"delta.checkpointInterval", "10"}, {"delta.logRetentionDuration", "interval 1 hours"}}));
  const auto table = lake.Open();
  for (int i = 1; i <= 400; ++i) {
    lake.clock().Advance(60 * kMicrosPerSecond);
    lake.Append(*table, i);
    Must(table->CleanUp());
  }
  // An hour of commits, and what leads to the first of them.
  EXPECT_LT(lake.Files(".json").size(), 90U);
  EXPECT_LE(lake.Files(".checkpoint.parquet").size(), 10U);
  const auto reader = lake.Open();
  EXPECT_EQ(Must(reader->Load())->total_records, 4000);
  EXPECT_THAT(Must(reader->LiveFilesAt(*Must(reader->Load()), 345)), SizeIs(345));
  EXPECT_EQ(Must(reader->Load())->lineage, connect::Lineage::kIntact);
}

TEST(MaintenanceTest, NothingIsCutWhereTheTableSaysSo) {
  TestLake lake(With({{"delta.checkpointInterval", "5"},
                      {"delta.logRetentionDuration", "interval 1 seconds"},
                      {"delta.enableExpiredLogCleanup", "false"}}));
  const auto table = lake.Open();
  for (int i = 1; i <= 20; ++i) {
    lake.clock().Advance(3600 * kMicrosPerSecond);
    lake.Append(*table, i);
    Must(table->CleanUp());
  }
  EXPECT_THAT(lake.Files("0.json"), SizeIs(3));
  EXPECT_GE(lake.Files(".json").size(), 21U);
}

// Replaces the rows of one partition in each of many commits.
void ReplaceOften(TestLake& lake, connect::Table& table, int times) {
  for (int i = 1; i <= times; ++i) {
    lake.clock().Advance(60 * kMicrosPerSecond);
    const auto base = Must(table.Load());
    connect::TableCommit commit;
    commit.files = {TestLake::File(*base, "r" + std::to_string(i))};
    Must(lake.store().Put("retail/events/data/r" + std::to_string(i) + ".parquet", "rows"));
    commit.replaced = {{.columns = {{"kind", {.number = {}, .text = "buy"}}}}};
    ASSERT_EQ(Must(table.Commit(*base, commit)), connect::CommitOutcome::kCommitted);
    Must(table.CleanUp());
  }
}

TEST(MaintenanceTest, ReplacedFilesGoAfterTheirRetention) {
  TestLake lake(With({{"delta.checkpointInterval", "10"},
                      {"delta.deletedFileRetentionDuration", "interval 30 minutes"}}));
  ReplaceOften(lake, *lake.Open(), 100);
  const auto left = lake.Files(".parquet");
  EXPECT_GT(left.size(), 30U);
  EXPECT_LT(left.size(), 60U);
  EXPECT_THAT(left, testing::Contains("retail/events/data/r100.parquet"));
  EXPECT_EQ(Must(lake.Open()->Load())->total_records, 10);
}

TEST(MaintenanceTest, SharedFilesAreNotOursToRemove) {
  TestLake lake(With({{"delta.checkpointInterval", "10"},
                      {"weir.files", "shared"},
                      {"delta.deletedFileRetentionDuration", "interval 30 minutes"}}));
  ReplaceOften(lake, *lake.Open(), 60);
  EXPECT_GE(lake.Files(".parquet").size(), 60U);
}

}  // namespace
}  // namespace weir::delta
