#include "app/spark_checkpoint.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"

namespace weir::app {
namespace {

using ::testing::HasSubstr;

class SparkCheckpointTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const auto path = std::filesystem::path(folder_.path()) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void WriteBatch(int number, int offset) {
    Write("offsets/" + std::to_string(number),
          "v1\n{\"batchWatermarkMs\":1000,\"batchTimestampMs\":5}\n{\"shop\":{\"0\":" +
              std::to_string(offset) + ",\"1\":3}}");
  }
  void WriteCommit(int number) {
    Write("commits/" + std::to_string(number), "v1\n{\"nextBatchWatermarkMs\":2000}");
  }
  void SetUp() override {
    Write("metadata", R"({"id":"q"})");
    WriteBatch(0, 10);
    WriteCommit(0);
    Write("commits/.0.crc", "x");
  }
  Result<SparkCheckpoint> Read() { return ReadSparkCheckpoint(folder_.path()); }

  ScratchFolder folder_;
};

connect::SnapshotInfo Snapshot(const std::string& query, int epoch) {
  connect::SnapshotInfo info;
  info.summary = {{"spark.sql.streaming.queryId", query},
                  {"spark.sql.streaming.epochId", std::to_string(epoch)}};
  return info;
}

TEST_F(SparkCheckpointTest, ReadsTheLastBatchAndItsWatermark) {
  const auto checkpoint = Read();
  ASSERT_TRUE(checkpoint) << checkpoint.error().ToString();
  EXPECT_EQ(checkpoint->query_id, "q");
  EXPECT_EQ(checkpoint->done->offsets.at("shop").at(Partition(0)), Offset(10));
  EXPECT_EQ(checkpoint->watermark_behind, 2'000 * kMicrosPerMilli);
  EXPECT_FALSE(checkpoint->in_work);
  EXPECT_EQ(DecideSparkBatch(*checkpoint, {})->batch->number, 0);
}

TEST_F(SparkCheckpointTest, TheTableDecidesTheBatchThatWasBegun) {
  WriteBatch(1, 20);
  const auto checkpoint = Read();
  ASSERT_TRUE(checkpoint) << checkpoint.error().ToString();
  ASSERT_TRUE(checkpoint->in_work);
  EXPECT_EQ(DecideSparkBatch(*checkpoint, {Snapshot("q", 0)})->batch->number, 0);
  EXPECT_EQ(DecideSparkBatch(*checkpoint, {Snapshot("q", 1), Snapshot("q", 0)})->batch->number, 1);
  // Another query's batches say nothing.
  const auto unclear = DecideSparkBatch(*checkpoint, {Snapshot("other", 1)});
  ASSERT_FALSE(unclear);
  EXPECT_THAT(unclear.error().message, HasSubstr("cannot be told"));
  EXPECT_FALSE(DecideSparkBatch(*checkpoint, {Snapshot("q", 2)}));
}

TEST_F(SparkCheckpointTest, ReadsVersionTwoAndRefusesWhatItDoesNotKnow) {
  Write("offsets/0", "v2\n{\"batchWatermarkMs\":0}\n0:{\"shop\":{\"0\":12}}\n");
  const auto checkpoint = Read();
  ASSERT_TRUE(checkpoint) << checkpoint.error().ToString();
  EXPECT_EQ(checkpoint->done->offsets.at("shop").at(Partition(0)), Offset(12));
  EXPECT_FALSE(checkpoint->done->watermark);
  Write("offsets/0", "v9\n{}\n{}");
  EXPECT_FALSE(Read());
  Write("offsets/0", "");
  EXPECT_FALSE(Read());
}

TEST_F(SparkCheckpointTest, AGapBehindTheCommittedBatchIsNoCheckpoint) {
  WriteBatch(5, 50);
  EXPECT_FALSE(Read());
  EXPECT_FALSE(ReadSparkCheckpoint("/nowhere"));
}

}  // namespace
}  // namespace weir::app
