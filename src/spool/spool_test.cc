#include "spool/spool.h"

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_folder.h"
#include "db/connection.h"

namespace weir::spool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SpoolTest : public testing::Test {
 protected:
  std::unique_ptr<Spool> Create() {
    auto created = Spool::Create(folder_, clock_);
    EXPECT_TRUE(created) << created.error().ToString();
    return std::move(*created);
  }

  std::unique_ptr<connect::LogSink> Sink(const std::string& topic = "events") {
    auto sink = OpenSpoolSink(folder_, topic, {}, clock_);
    EXPECT_TRUE(sink) << sink.error().ToString();
    return std::move(*sink);
  }

  // Appends one segment of so many records of 100 bytes.
  void Append(connect::LogSink& sink, int records, std::optional<Partition> partition = {}) {
    const std::string value(100, 'x');
    for (int i = 0; i < records; ++i) {
      ASSERT_TRUE(sink.Produce(
          {.partition = partition, .key = {}, .value = value, .timestamp_ms = -1, .headers = {}}));
    }
    ASSERT_TRUE(sink.Flush());
  }

  connect::PartitionBounds Bounds(Spool& spool, int partition = 0) {
    return spool.Describe("events")->partitions.at(Partition(partition));
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_ / "log";
  ManualClock clock_{1'000 * kMicrosPerDay};
};

TEST_F(SpoolTest, TopicsAreMadeListedAndDescribed) {
  const auto spool = Create();
  ASSERT_TRUE(spool->CreateTopic("b", {.partitions = 2, .retention = {}}));
  ASSERT_TRUE(spool->CreateTopic("a", {}));
  EXPECT_THAT(*spool->ListTopics(), ElementsAre("a", "b"));
  const auto info = spool->Describe("b");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->topic, "b");
  EXPECT_EQ(info->cluster_id.size(), 36U);
  EXPECT_EQ(info->topic_id.size(), 36U);
  ASSERT_EQ(info->partitions.size(), 2U);
  EXPECT_EQ(info->partitions.at(Partition(1)).begin, Offset(0));
  EXPECT_EQ(info->partitions.at(Partition(1)).end, Offset(0));
}

TEST_F(SpoolTest, ATopicThatExistsIsNotMadeAgain) {
  const auto spool = Create();
  ASSERT_TRUE(spool->CreateTopic("events", {}));
  EXPECT_EQ(spool->CreateTopic("events", {}).error().kind, ErrorKind::kConflict);
}

TEST_F(SpoolTest, NamesAndCountsAreChecked) {
  const auto spool = Create();
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a b"), std::string("a/b"),
        std::string("ä"), std::string(250, 'a')}) {
    EXPECT_EQ(spool->CreateTopic(name, {}).error().kind, ErrorKind::kInvalidInput) << name;
  }
  EXPECT_TRUE(spool->CreateTopic(std::string(249, 'a'), {}));
  EXPECT_TRUE(spool->CreateTopic("Shop.click-stream_1", {}));
  for (const int partitions : {0, -1, 10'001}) {
    EXPECT_EQ(
        spool->CreateTopic("events", {.partitions = partitions, .retention = {}}).error().kind,
        ErrorKind::kInvalidInput);
  }
}

TEST_F(SpoolTest, WhatIsNotThereIsSaid) {
  const auto none = Spool::Open(folder_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(none.error().code, ErrorCode::kSourceUnavailable);
  const auto spool = Create();
  for (const Error& error :
       {spool->Describe("events").error(), spool->DeleteTopic("events").error(),
        spool->ApplyRetention("events").error(), spool->Check("events").error()}) {
    EXPECT_EQ(error.kind, ErrorKind::kNotFound);
    EXPECT_EQ(error.code, ErrorCode::kTopicMissing);
    EXPECT_THAT(error.message, HasSubstr("events"));
  }
}

TEST_F(SpoolTest, TheClusterIdStaysAndTheTopicIdChanges) {
  std::string cluster_id;
  std::string topic_id;
  {
    const auto spool = Create();
    ASSERT_TRUE(spool->CreateTopic("events", {}));
    cluster_id = spool->Describe("events")->cluster_id;
    topic_id = spool->Describe("events")->topic_id;
    Append(*Sink(), 10);
  }
  const auto spool = *Spool::Open(folder_);
  EXPECT_EQ(spool->Describe("events")->cluster_id, cluster_id);
  EXPECT_EQ(spool->Describe("events")->topic_id, topic_id);
  ASSERT_TRUE(spool->DeleteTopic("events"));
  ASSERT_TRUE(spool->CreateTopic("events", {}));
  EXPECT_NE(spool->Describe("events")->topic_id, topic_id);
  EXPECT_EQ(Bounds(*spool).end, Offset(0));
}

TEST_F(SpoolTest, ATopicGrowsButDoesNotShrink) {
  const auto spool = Create();
  ASSERT_TRUE(spool->CreateTopic("events", {.partitions = 2, .retention = {}}));
  Append(*Sink(), 1, Partition(1));
  ASSERT_TRUE(spool->GrowTopic("events", 4));
  EXPECT_EQ(spool->Describe("events")->partitions.size(), 4U);
  EXPECT_EQ(Bounds(*spool, 1).end, Offset(1));
  EXPECT_EQ(spool->GrowTopic("events", 3).error().kind, ErrorKind::kInvalidInput);
}

TEST_F(SpoolTest, OldRecordsAreRemovedByAge) {
  const auto spool = Create();
  ASSERT_TRUE(spool->CreateTopic(
      "events",
      {.partitions = 1, .retention = {.max_age = 60 * kMicrosPerSecond, .max_bytes = {}}}));
  const auto sink = Sink();
  Append(*sink, 5);
  clock_.Advance(50 * kMicrosPerSecond);
  Append(*sink, 7);
  EXPECT_EQ(*spool->ApplyRetention("events"), 0);
  clock_.Advance(11 * kMicrosPerSecond);
  EXPECT_EQ(*spool->ApplyRetention("events"), 5);
  EXPECT_EQ(Bounds(*spool).begin, Offset(5));
  EXPECT_EQ(Bounds(*spool).end, Offset(12));
  clock_.Advance(kMicrosPerDay);
  EXPECT_EQ(*spool->ApplyRetention("events"), 7);
  EXPECT_EQ(Bounds(*spool).begin, Offset(12));
  Append(*sink, 1);
  EXPECT_EQ(Bounds(*spool).end, Offset(13));
  EXPECT_TRUE(spool->Check("events"));
}

TEST_F(SpoolTest, OldRecordsAreRemovedByBytesInEachPartition) {
  const auto spool = Create();
  ASSERT_TRUE(spool->CreateTopic("events", {.partitions = 2, .retention = {}}));
  const auto sink = Sink();
  for (int i = 0; i < 10; ++i) Append(*sink, 100, Partition(0));
  Append(*sink, 100, Partition(1));
  EXPECT_EQ(*spool->ApplyRetention("events"), 0);
  ASSERT_TRUE(spool->SetRetention("events", {.max_age = {}, .max_bytes = 30'000}));
  EXPECT_EQ(*spool->ApplyRetention("events"), 700);
  EXPECT_EQ(Bounds(*spool, 0).begin, Offset(700));
  EXPECT_EQ(Bounds(*spool, 0).end, Offset(1'000));
  EXPECT_EQ(Bounds(*spool, 1).begin, Offset(0));
  EXPECT_TRUE(spool->Check("events"));
}

TEST_F(SpoolTest, ProducersApplyTheRetentionNowAndThen) {
  const auto spool = Create();
  ASSERT_TRUE(spool->CreateTopic(
      "events", {.partitions = 1, .retention = {.max_age = {}, .max_bytes = 30'000}}));
  const auto sink = Sink();
  for (int i = 0; i < 20; ++i) {
    Append(*sink, 100);
    clock_.Advance(kMicrosPerSecond);
  }
  EXPECT_EQ(Bounds(*spool).begin, Offset(1'700));
}

// Appended is what counts: a replay of last year's events must not vanish at once.
TEST_F(SpoolTest, AgeIsCountedFromTheAppend) {
  const auto spool = Create();
  ASSERT_TRUE(spool->CreateTopic(
      "events", {.partitions = 1, .retention = {.max_age = kMicrosPerDay, .max_bytes = {}}}));
  const auto sink = Sink();
  ASSERT_TRUE(sink->Produce(
      {.partition = {}, .key = {}, .value = "x", .timestamp_ms = 1'000, .headers = {}}));
  ASSERT_TRUE(sink->Flush());
  EXPECT_EQ(*spool->ApplyRetention("events"), 0);
}

TEST_F(SpoolTest, CheckNamesTheDamagedPlace) {
  const auto spool = Create();
  ASSERT_TRUE(spool->CreateTopic("events", {.partitions = 2, .retention = {}}));
  const auto sink = Sink();
  Append(*sink, 10, Partition(0));
  Append(*sink, 10, Partition(1));
  Append(*sink, 10, Partition(1));
  EXPECT_TRUE(spool->Check("events"));
  const auto raw = *db::Connection::Open(folder_ + "/weir-log.db");
  for (const char* damage :
       {"UPDATE segment SET payload = CAST(substr(payload, 1, 50) || 'y' || substr(payload, 52) "
        "AS BLOB) WHERE partition = 1 AND first_offset = 10",
        "UPDATE segment SET records = 9 WHERE partition = 1 AND first_offset = 10",
        "UPDATE segment SET first_offset = 11 WHERE partition = 1 AND first_offset = 10",
        "DELETE FROM segment WHERE partition = 1 AND first_offset = 11"}) {
    ASSERT_TRUE(raw->Execute(damage));
    ASSERT_EQ(raw->changes(), 1) << damage;
    const Status checked = spool->Check("events");
    ASSERT_FALSE(checked) << damage;
    EXPECT_EQ(checked.error().kind, ErrorKind::kCorrupt);
    EXPECT_EQ(checked.error().code, ErrorCode::kSourceCorrupt);
    EXPECT_THAT(checked.error().message, HasSubstr("topic events partition 1"));
    EXPECT_THAT(checked.error().message, HasSubstr("offset 1"));
  }
}

TEST_F(SpoolTest, AFileOfAnotherProgramIsRefused) {
  Create();
  const std::string path = folder_ + "/weir-log.db";
  {
    const auto raw = *db::Connection::Open(path);
    ASSERT_TRUE(raw->Execute("PRAGMA user_version=2"));
  }
  EXPECT_EQ(Spool::Open(folder_).error().kind, ErrorKind::kUnsupported);
  {
    const auto raw = *db::Connection::Open(path);
    ASSERT_TRUE(raw->Execute("PRAGMA user_version=1; PRAGMA application_id=7"));
  }
  EXPECT_EQ(Spool::Open(folder_).error().code, ErrorCode::kSourceCorrupt);
  std::ofstream(path) << std::string(100'000, 'x');
  EXPECT_EQ(Spool::Open(folder_).error().code, ErrorCode::kSourceCorrupt);
}

TEST_F(SpoolTest, ManyProcessesMakeTheSameLogAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      auto sink = OpenSpoolSink(folder_, "events");
      if (!sink) std::cerr << sink.error().message << "\n";
      _exit(sink ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_THAT(*Create()->ListTopics(), ElementsAre("events"));
}

}  // namespace
}  // namespace weir::spool
