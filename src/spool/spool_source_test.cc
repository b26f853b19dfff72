#include "spool/spool_source.h"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_folder.h"
#include "spool/spool.h"

namespace weir::spool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SpoolSourceTest : public testing::Test {
 protected:
  std::unique_ptr<connect::LogSink> Sink(int partitions = 1) {
    auto sink = OpenSpoolSink(folder_, "events",
                              {TopicSettings{.partitions = partitions, .retention = {}}}, clock_);
    EXPECT_TRUE(sink) << sink.error().ToString();
    return std::move(*sink);
  }

  std::unique_ptr<connect::LogSource> Source(const OffsetMap& start) {
    auto source = NewSpoolSource(folder_, "events", clock_);
    const Status assigned = source->Assign(start);
    EXPECT_TRUE(assigned) << assigned.error().ToString();
    return source;
  }

  // Values from..to-1 as text, with the number as timestamp, in one partition.
  void Append(connect::LogSink& sink, int from, int to, int partition = 0) {
    for (int i = from; i < to; ++i) {
      const std::string value = std::to_string(i);
      ASSERT_TRUE(sink.Produce({.partition = Partition(partition),
                                .key = {},
                                .value = value,
                                .timestamp_ms = i,
                                .headers = {}}));
    }
    ASSERT_TRUE(sink.Flush());
  }

  static std::vector<std::string> Values(const LogBatch& batch) {
    std::vector<std::string> values;
    for (const LogRecord& record : batch.records) values.emplace_back(*record.value);
    return values;
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_ / "log";
  ManualClock clock_{1'000 * kMicrosPerDay};
};

TEST_F(SpoolSourceTest, ReadsFromAnOffsetInTheMiddle) {
  Append(*Sink(), 0, 2'500);
  const auto source = Source({{Partition(0), Offset(1'234)}});
  auto batch = source->Poll(0, 3);
  ASSERT_TRUE(batch);
  EXPECT_THAT(Values(*batch), ElementsAre("1234", "1235", "1236"));
  EXPECT_EQ(batch->records[0].offset, Offset(1'234));
  EXPECT_EQ(batch->bytes, 12U);
  EXPECT_EQ(source->Positions().at(Partition(0)), Offset(1'237));
  std::int64_t expected = 1'237;
  while (true) {
    batch = source->Poll(0, 700);
    ASSERT_TRUE(batch);
    if (batch->empty()) break;
    EXPECT_LE(batch->records.size(), 700U);
    for (const LogRecord& record : batch->records) {
      EXPECT_EQ(record.offset.value(), expected);
      EXPECT_EQ(*record.value, std::to_string(expected++));
    }
  }
  EXPECT_EQ(expected, 2'500);
  EXPECT_EQ(source->Positions().at(Partition(0)), Offset(2'500));
}

TEST_F(SpoolSourceTest, ABatchOutlivesItsSource) {
  Append(*Sink(), 0, 10);
  LogBatch batch;
  {
    const auto source = Source({{Partition(0), Offset(0)}});
    batch = *source->Poll(0, 5);
    ASSERT_TRUE(source->Poll(0, 5));
  }
  EXPECT_THAT(Values(batch), ElementsAre("0", "1", "2", "3", "4"));
}

TEST_F(SpoolSourceTest, PartitionsTakeTurns) {
  const auto sink = Sink(3);
  for (int partition = 0; partition < 3; ++partition) Append(*sink, 0, 100, partition);
  const auto source =
      Source({{Partition(0), Offset(0)}, {Partition(1), Offset(0)}, {Partition(2), Offset(0)}});
  std::map<int, int> counts;
  for (int i = 0; i < 30; ++i) {
    const auto batch = source->Poll(0, 7);
    ASSERT_TRUE(batch);
    for (const LogRecord& record : batch->records) {
      EXPECT_EQ(record.offset.value(), counts[record.partition.value()]++);
    }
  }
  for (const auto& [partition, count] : counts) EXPECT_EQ(count, 70) << partition;
}

TEST_F(SpoolSourceTest, OnlyAssignedPartitionsAreRead) {
  const auto sink = Sink(2);
  Append(*sink, 0, 5, 0);
  Append(*sink, 10, 15, 1);
  const auto source = Source({{Partition(1), Offset(3)}});
  EXPECT_THAT(Values(*source->Poll(0, 100)), ElementsAre("13", "14"));
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(4)}}));
  EXPECT_THAT(Values(*source->Poll(0, 100)), ElementsAre("4"));
  EXPECT_EQ(source->Positions().size(), 1U);
}

TEST_F(SpoolSourceTest, AnEmptyPollWaitsAsLongAsItMay) {
  Append(*Sink(), 0, 1);
  const auto source = Source({{Partition(0), Offset(1)}});
  const Micros before = clock_.Monotonic();
  const auto batch = source->Poll(kMicrosPerSecond, 10);
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->empty());
  EXPECT_EQ(clock_.Monotonic() - before, kMicrosPerSecond);
}

TEST_F(SpoolSourceTest, AWaitingPollSeesTheNextCommit) {
  const auto sink = Sink();
  const auto source = NewSpoolSource(folder_, "events");
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  std::thread producer([&] {
    SystemClock().Sleep(20'000);
    Append(*sink, 0, 1);
  });
  const auto batch = source->Poll(60 * kMicrosPerSecond, 10);
  producer.join();
  ASSERT_TRUE(batch);
  EXPECT_THAT(Values(*batch), ElementsAre("0"));
}

TEST_F(SpoolSourceTest, WaitingCostsNextToNothing) {
  Sink();
  const auto source = NewSpoolSource(folder_, "events");
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  const auto switches = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  const auto before = switches();
  ASSERT_TRUE(source->Poll(400'000, 10)->empty());
  EXPECT_LT(switches() - before, 60) << "wakes up too often";
}

TEST_F(SpoolSourceTest, NothingIsThereYet) {
  const auto source = NewSpoolSource(folder_, "events", clock_);
  EXPECT_EQ(source->Describe().error().code, ErrorCode::kSourceUnavailable);
  EXPECT_EQ(source->Assign({}).error().kind, ErrorKind::kUnavailable);
  ASSERT_TRUE(Spool::Create(folder_));
  EXPECT_EQ(source->Describe().error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(source->Describe().error().code, ErrorCode::kTopicMissing);
  Append(*Sink(), 0, 3);
  EXPECT_EQ(source->Describe()->partitions.at(Partition(0)).end, Offset(3));
}

TEST_F(SpoolSourceTest, OffsetsOutsideTheLogAreRefused) {
  const auto sink = Sink();
  Append(*sink, 0, 10);
  const auto spool = *Spool::Open(folder_, clock_);
  ASSERT_TRUE(spool->SetRetention("events", {.max_age = 0, .max_bytes = {}}));
  clock_.Advance(kMicrosPerSecond);
  ASSERT_EQ(*spool->ApplyRetention("events"), 10);
  Append(*sink, 10, 12);
  const auto expired = Source({{Partition(0), Offset(9)}})->Poll(0, 10);
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(expired.error().code, ErrorCode::kOffsetsExpired);
  EXPECT_THAT(expired.error().message, HasSubstr("offset 9"));
  const auto truncated = Source({{Partition(0), Offset(13)}})->Poll(0, 10);
  ASSERT_FALSE(truncated);
  EXPECT_EQ(truncated.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(truncated.error().code, ErrorCode::kLogTruncated);
  EXPECT_TRUE(Source({{Partition(0), Offset(12)}})->Poll(0, 10)->empty());
  EXPECT_FALSE(Source({{Partition(5), Offset(0)}})->Poll(0, 10));
}

TEST_F(SpoolSourceTest, RetentionBehindAReaderIsNoticed) {
  const auto sink = Sink();
  Append(*sink, 0, 5);
  const auto source = Source({{Partition(0), Offset(0)}});
  ASSERT_EQ(source->Poll(0, 5)->records.size(), 5U);
  Append(*sink, 5, 10);
  const auto spool = *Spool::Open(folder_, clock_);
  ASSERT_TRUE(spool->SetRetention("events", {.max_age = 0, .max_bytes = {}}));
  clock_.Advance(kMicrosPerSecond);
  ASSERT_TRUE(spool->ApplyRetention("events"));
  EXPECT_EQ(source->Poll(0, 5).error().code, ErrorCode::kOffsetsExpired);
}

TEST_F(SpoolSourceTest, ATopicMadeAgainIsNotReadOn) {
  const auto sink = Sink();
  Append(*sink, 0, 10);
  const auto source = Source({{Partition(0), Offset(5)}});
  const auto spool = *Spool::Open(folder_, clock_);
  ASSERT_TRUE(spool->DeleteTopic("events"));
  EXPECT_EQ(source->Poll(0, 10).error().code, ErrorCode::kTopicMissing);
  ASSERT_TRUE(spool->CreateTopic("events", {}));
  Append(*Sink(), 0, 20);
  const auto polled = source->Poll(0, 10);
  ASSERT_FALSE(polled);
  EXPECT_EQ(polled.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(polled.error().code, ErrorCode::kTopicReplaced);
}

TEST_F(SpoolSourceTest, ALogThatTookTheOldOnesPlaceIsNotReadOn) {
  Append(*Sink(), 0, 10);
  const auto source = Source({{Partition(0), Offset(5)}});
  const std::string cluster_id = source->Describe()->cluster_id;
  std::filesystem::rename(folder_, folder_ + ".old");
  EXPECT_EQ(source->Poll(0, 10).error().code, ErrorCode::kSourceUnavailable);
  Append(*Sink(), 0, 20);
  EXPECT_EQ(source->Poll(0, 10).error().code, ErrorCode::kTopicReplaced);
  EXPECT_NE(source->Describe()->cluster_id, cluster_id);
}

TEST_F(SpoolSourceTest, ALogThatComesBackIsReadOn) {
  Append(*Sink(), 0, 10);
  const auto source = Source({{Partition(0), Offset(5)}});
  std::filesystem::rename(folder_, folder_ + ".away");
  EXPECT_FALSE(source->Poll(0, 10));
  std::filesystem::rename(folder_ + ".away", folder_);
  EXPECT_EQ(source->Poll(0, 10)->records.size(), 5U);
}

TEST_F(SpoolSourceTest, DamageIsToldAfterWhatStandsBeforeIt) {
  const auto sink = Sink();
  Append(*sink, 0, 5);
  Append(*sink, 5, 10);
  {
    const auto raw = *db::Connection::Open(folder_ + "/weir-log.db");
    ASSERT_TRUE(raw->Execute("UPDATE segment SET checksum = 1 WHERE first_offset = 5"));
  }
  const auto source = Source({{Partition(0), Offset(0)}});
  EXPECT_EQ(source->Poll(0, 100)->records.size(), 5U);
  for (int i = 0; i < 2; ++i) {
    const auto damaged = source->Poll(0, 100);
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().kind, ErrorKind::kCorrupt);
    EXPECT_EQ(damaged.error().code, ErrorCode::kSourceCorrupt);
    EXPECT_THAT(damaged.error().message, HasSubstr("topic events partition 0"));
    EXPECT_THAT(damaged.error().message, HasSubstr("offset 5"));
  }
  EXPECT_EQ(source->Positions().at(Partition(0)), Offset(5));
}

TEST_F(SpoolSourceTest, OffsetsAreFoundByTime) {
  const auto sink = Sink(2);
  Append(*sink, 0, 1'500);
  Append(*sink, 3'000, 3'010);
  const auto source = NewSpoolSource(folder_, "events", clock_);
  const auto at = [&](std::int64_t time) { return source->OffsetsAt(time)->at(Partition(0)); };
  EXPECT_EQ(at(-1), Offset(0));
  EXPECT_EQ(at(0), Offset(0));
  EXPECT_EQ(at(1'234), Offset(1'234));
  EXPECT_EQ(at(2'000), Offset(1'500));
  EXPECT_EQ(at(3'009), Offset(1'509));
  EXPECT_EQ(at(3'010), Offset(1'510));
  EXPECT_EQ(source->OffsetsAt(0)->at(Partition(1)), Offset(0));
}

TEST_F(SpoolSourceTest, LargeRecordsComeInBatchesOfBoundedSize) {
  const auto sink = Sink();
  const std::string value(5 << 20, 'x');
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(sink->Produce(
        {.partition = {}, .key = {}, .value = value, .timestamp_ms = 1, .headers = {}}));
  }
  ASSERT_TRUE(sink->Flush());
  const auto source = Source({{Partition(0), Offset(0)}});
  EXPECT_EQ(source->Poll(0, 100)->records.size(), 4U);
  EXPECT_EQ(source->Poll(0, 100)->records.size(), 2U);
}

TEST_F(SpoolSourceTest, AReaderFollowsSeveralWriters) {
  Sink();
  std::vector<pid_t> children;
  for (int p = 0; p < 3; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      const auto sink = Sink();
      for (int i = 0; i < 40; ++i) Append(*sink, i, i + 1);
      _exit(0);
    }
    children.push_back(child);
  }
  const auto source = NewSpoolSource(folder_, "events");
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  std::int64_t expected = 0;
  while (expected < 120) {
    const auto batch = source->Poll(60 * kMicrosPerSecond, 1'000);
    ASSERT_TRUE(batch) << batch.error().ToString();
    ASSERT_FALSE(batch->empty());
    for (const LogRecord& record : batch->records) EXPECT_EQ(record.offset.value(), expected++);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  EXPECT_EQ(expected, 120);
}

}  // namespace
}  // namespace weir::spool
