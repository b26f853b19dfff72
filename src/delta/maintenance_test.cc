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

struct LogSize {
  std::size_t objects = 0;     // in the folder of the log
  std::size_t checkpoint = 0;  // bytes of the newest one
  std::size_t files = 0;       // of rows
};

LogSize SizeOf(TestLake& lake) {
  const auto checkpoints = lake.Files(".checkpoint.parquet");
  return {.objects = Must(lake.store().List("retail/events/_delta_log/")).size(),
          .checkpoint = Must(lake.store().Get(checkpoints.back())).size(),
          .files = Must(lake.store().List("retail/events/data/")).size()};
}

// What a job with open sessions does: each commit replaces rows and moves the progress of several
// partitions on.
TEST(MaintenanceTest, NothingGrowsOverThousandsOfCommits) {
  TestLake lake(With({{"delta.checkpointInterval", "50"},
                      {"delta.logRetentionDuration", "interval 5 minutes"},
                      {"delta.deletedFileRetentionDuration", "interval 2 minutes"}}));
  const auto table = lake.Open();
  std::vector<LogSize> sizes;
  for (int i = 1; i <= 6000; ++i) {
    lake.clock().Advance(kMicrosPerSecond);
    const auto base = Must(table->Load());
    connect::TableCommit commit;
    const std::string name = "r" + std::to_string(i);
    commit.files = {TestLake::File(*base, name)};
    Must(lake.store().Put("retail/events/data/" + name + ".parquet", "rows"));
    commit.replaced = {{.columns = {{"kind", {.number = {}, .text = "buy"}}}}};
    for (const char* partition : {"events/0", "events/1", "events/2"}) {
      commit.progress[partition] = {{1, i}, Offset(std::int64_t{100} * i)};
    }
    ASSERT_EQ(Must(table->Commit(*base, commit)), connect::CommitOutcome::kCommitted);
    Must(table->CleanUp());
    if (i % 2000 == 0) sizes.push_back(SizeOf(lake));
  }
  for (const LogSize& size : sizes) {
    EXPECT_LT(size.objects, 500U);
    EXPECT_LT(size.files, 250U);
    EXPECT_LT(size.checkpoint, sizes.front().checkpoint * 11 / 10);
  }
  const auto reader = lake.Open();
  const auto version = Must(reader->Load());
  EXPECT_EQ(version->total_records, 10);
  EXPECT_EQ(version->progress->partitions.at("events/2").position.epoch, 6000);
}

// Whoever commits faster than one step cleans up goes on at the next checkpoint.
TEST(MaintenanceTest, ALogThatOthersLetGrowIsBroughtDown) {
  TestLake lake(With({{"delta.checkpointInterval", "10"}}));
  const auto table = lake.Open();
  for (int i = 1; i <= 5000; ++i) lake.Append(*table, i);
  Must(table->CleanUp());
  lake.clock().Advance(40 * kMicrosPerDay);  // the retention of who sets none
  std::size_t before = 5001;
  for (int i = 5001; before > 100; ++i) {
    ASSERT_LT(i, 5031) << "three checkpoints are enough";
    lake.Append(*table, i);
    Must(table->CleanUp());
    before = lake.Files(".json").size();
  }
  EXPECT_EQ(Must(lake.Open()->Load())->lineage, connect::Lineage::kIntact);
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
