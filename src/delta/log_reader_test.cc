#include "delta/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "delta/checkpoint.h"
#include "delta/test_lake.h"

namespace weir::delta {
namespace {

using test::TestLake;
using testing::SizeIs;

class LogReaderTest : public testing::Test {
 protected:
  void Fill(int versions) {
    const auto table = lake_.Open();
    for (int i = 1; i <= versions; ++i) lake_.Append(*table, i);
  }
  // A checkpoint of a version, as it should be.
  std::string CheckpointOf(std::int64_t version) {
    return Must(WriteCheckpoint(Must(reader_.Read(version)))).bytes;
  }
  void Put(const std::string& name, const std::string& bytes) {
    Must(lake_.store().Put(TestLake::Key(name), bytes));
  }
  void DropCommits(std::int64_t before) {
    for (std::int64_t i = 0; i < before; ++i) {
      Must(lake_.store().Delete(TestLake::Key(CommitName(i))));
    }
  }

  TestLake lake_;
  LogReader reader_{lake_.store(), TestLake::kFolder};
};

TEST_F(LogReaderTest, ACheckpointTellsWhatTheCommitsTold) {
  Fill(5);
  const Metadata metadata = *lake_.Read(0).metadata;
  lake_.Foreign(6, R"({"remove":{"path":"data/f2.parquet","deletionTimestamp":5,"dataChange":true}}
{"txn":{"appId":"other","version":9}}
)");
  Put(CheckpointName(6), CheckpointOf(6));
  Put("_last_checkpoint", "{\"version\": 12345");  // a hint, and a wrong one
  DropCommits(6);
  const TableState state = Must(reader_.Read());
  EXPECT_EQ(state.version(), 6);
  EXPECT_THAT(state.files(), SizeIs(4));
  EXPECT_THAT(state.removed(), SizeIs(1));
  EXPECT_EQ(state.transactions().at("other").version, 9);
  EXPECT_FALSE(state.transactions().at("other").updated_ms);
  EXPECT_EQ(state.transactions().at("shop/events/0").version, (std::int64_t{1} << 32) + 5);
  EXPECT_EQ(state.records(), 40);
  EXPECT_EQ(*state.metadata(), metadata);
  EXPECT_EQ(state.metadata()->Property("delta.checkpointInterval"), "100");
  const AddFile& file = state.files().at("data/f3.parquet");
  EXPECT_EQ(file.partition_values.at("kind"), "buy");
  EXPECT_EQ(file.size, 1000);
}

TEST_F(LogReaderTest, ABrokenCheckpointIsPassedOver) {
  Fill(4);
  Put(CheckpointName(2), CheckpointOf(2));
  Put(CheckpointName(4), "PAR1 and then nothing");
  EXPECT_THAT(Must(reader_.Read()).files(), SizeIs(4));
  DropCommits(2);
  EXPECT_THAT(Must(reader_.Read()).files(), SizeIs(4));
  DropCommits(4);
  EXPECT_EQ(reader_.Read().error().kind, ErrorKind::kCorrupt);
}

TEST_F(LogReaderTest, APartThatIsMissingIsNoCheckpoint) {
  Fill(3);
  const std::string whole = CheckpointOf(3);
  Put("00000000000000000003.checkpoint.0000000001.0000000002.parquet", whole);
  EXPECT_THAT(Must(reader_.List()).checkpoints, SizeIs(0));
  DropCommits(3);
  EXPECT_EQ(reader_.Read().error().kind, ErrorKind::kCorrupt);
  // The same actions twice are the same state.
  Put("00000000000000000003.checkpoint.0000000002.0000000002.parquet", whole);
  EXPECT_THAT(Must(reader_.Read()).files(), SizeIs(3));
}

TEST_F(LogReaderTest, AGapIsAnErrorAndNotTheEnd) {
  Fill(4);
  Must(lake_.store().Delete(TestLake::Key(CommitName(2))));
  const auto state = reader_.Read();
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().kind, ErrorKind::kCorrupt);
  EXPECT_THAT(state.error().message, testing::HasSubstr(CommitName(2)));
}

TEST_F(LogReaderTest, AVersionThatWasCleanedUpIsNotFound) {
  Fill(4);
  Put(CheckpointName(3), CheckpointOf(3));
  DropCommits(3);
  EXPECT_EQ(reader_.Read(1).error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(Must(reader_.Read(3)).files(), SizeIs(3));
}

TEST_F(LogReaderTest, CheckpointsOfAnUnknownKindAreRefusedByName) {
  Fill(2);
  Put("00000000000000000002.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json", "{}");
  EXPECT_THAT(Must(reader_.Read()).files(), SizeIs(2));
  DropCommits(2);
  const auto state = reader_.Read();
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ErrorCode::kTableUnsupported);
}

TEST(ParseCommitTest, WhatIsNoActionIsAnError) {
  EXPECT_EQ(Must(ParseCommit("\n"
                             R"({"cdc":{}})"
                             "\r\n"
                             R"({"new":1})",
                             "f"))
                .adds.size(),
            0U);
  for (const char* text : {"{", "[]", R"({"add":{}})", R"({"add":{"path":1,"size":1}})",
                           R"({"txn":{"appId":"a","version":1.5}})", R"({"protocol":{}})",
                           R"({"metaData":{"id":"x"}})"}) {
    const auto commit = ParseCommit(text, "f.json");
    ASSERT_FALSE(commit) << text;
    EXPECT_THAT(commit.error().message, testing::HasSubstr("f.json, line 1"));
  }
}

}  // namespace
}  // namespace weir::delta
