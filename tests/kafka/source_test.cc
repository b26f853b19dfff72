// KafkaSource against a real broker: what the mock broker cannot show.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker.h"
#include "kafka/kafka_sink.h"
#include "kafka/kafka_source.h"

namespace weir::kafka {
namespace {

using test::CreateTopic;
using test::NewTopic;
using test::Options;
using test::Produce;
using test::Transaction;
using testing::SizeIs;

constexpr Micros kWait = 100 * kMicrosPerMilli;
const Partition kFirst(0);

std::unique_ptr<KafkaSource> NewSource(const std::string& topic,
                                       std::map<std::string, std::string> more = {}) {
  SourceOptions options{.client = Options(), .topic = topic, .group = "weir-" + topic};
  options.client.options.merge(more);
  auto source = KafkaSource::Open(options);
  EXPECT_TRUE(source) << source.error().ToString();
  return *std::move(source);
}

connect::TopicInfo Describe(KafkaSource& source) {
  for (int i = 0; i < 100; ++i) {
    auto info = source.Describe();
    if (info) return *std::move(info);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  ADD_FAILURE() << "the topic cannot be described";
  return {};
}

OffsetMap Ends(const connect::TopicInfo& info) {
  OffsetMap ends;
  for (const auto& [partition, bounds] : info.partitions) ends[partition] = bounds.end;
  return ends;
}

struct Read {
  std::vector<std::string> values;
  std::vector<std::int64_t> offsets;
  int polls = 0;
  int troubles = 0;  // polls that said "away"
};

// A bounded run: from `start` until every position has reached its end.
Read ReadTo(KafkaSource& source, const OffsetMap& start, const OffsetMap& ends) {
  const Status assigned = source.Assign(start);
  EXPECT_TRUE(assigned) << assigned.error().ToString();
  Read read;
  const auto done = [&] {
    const OffsetMap positions = source.Positions();
    return std::all_of(ends.begin(), ends.end(),
                       [&](const auto& end) { return positions.at(end.first) >= end.second; });
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done() && std::chrono::steady_clock::now() < deadline) {
    ++read.polls;
    const auto batch = source.Poll(kWait, 1000);
    if (!batch) {
      EXPECT_EQ(batch.error().kind, ErrorKind::kUnavailable) << batch.error().ToString();
      if (batch.error().kind != ErrorKind::kUnavailable) return read;
      ++read.troubles;
      continue;
    }
    for (const LogRecord& record : batch->records) {
      read.values.emplace_back(record.value.value_or("(tombstone)"));
      read.offsets.push_back(record.offset.value());
    }
  }
  EXPECT_TRUE(done()) << "the end was not reached";
  return read;
}

std::vector<std::string> Numbered(const std::string& prefix, int count) {
  std::vector<std::string> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values.push_back(prefix + std::to_string(i));
  return values;
}

Error FirstRefusal(KafkaSource& source) {
  for (int i = 0; i < 100; ++i) {
    const auto batch = source.Poll(kWait, 1000);
    if (!batch && batch.error().kind != ErrorKind::kUnavailable) return batch.error();
  }
  ADD_FAILURE() << "nothing was refused";
  return Internal("");
}

class EveryCodec : public testing::TestWithParam<const char*> {};

TEST_P(EveryCodec, IsRead) {
  const std::string topic = NewTopic().substr(0, 10) + GetParam();
  CreateTopic(topic, 1);
  ClientOptions options = Options();
  options.options["compression.codec"] = GetParam();
  Produce(topic, 0, 3000, std::string(200, 'x') + "-", options);
  const auto source = NewSource(topic);
  const auto info = Describe(*source);
  EXPECT_EQ(info.partitions.at(kFirst).end, Offset(3000));
  const Read read = ReadTo(*source, {{kFirst, Offset(0)}}, Ends(info));
  EXPECT_EQ(read.values, Numbered(std::string(200, 'x') + "-", 3000));
}

INSTANTIATE_TEST_SUITE_P(Codecs, EveryCodec,
                         testing::Values("none", "gzip", "snappy", "lz4", "zstd"),
                         [](const auto& codec) { return std::string(codec.param); });

TEST(Transactions, HideWhatWasAbortedOrIsOpen) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1);
  Transaction first("first-" + topic, topic);
  Transaction second("second-" + topic, topic);
  first.Begin();
  first.Write(3, "one-");
  first.Commit();
  second.Begin();
  second.Write(10'000, "aborted-");
  first.Begin();
  first.Write(2, "two-");
  first.Commit();
  second.Abort();
  second.Begin();
  second.Write(5, "open-");

  const auto source = NewSource(topic);
  const auto info = Describe(*source);
  const std::vector<std::string> committed{"one-0", "one-1", "one-2", "two-0", "two-1"};
  const Read read = ReadTo(*source, {{kFirst, Offset(0)}}, Ends(info));
  EXPECT_EQ(read.values, committed);
  EXPECT_EQ(source->Positions(), Ends(info));
  EXPECT_LT(read.polls, 200) << "no hot loop";

  // A restart whose position is on a marker or inside aborted data.
  for (const std::int64_t start : {3, 4, 5000, 10'006, 10'007}) {
    const auto again = NewSource(topic);
    const Read rest = ReadTo(*again, {{kFirst, Offset(start)}}, Ends(info));
    EXPECT_EQ(rest.values.size(), start < 10'005 ? 2U : 0U) << start;
  }

  second.Abort();
  const auto later = Describe(*source);
  EXPECT_GT(later.partitions.at(kFirst).end, info.partitions.at(kFirst).end);
  const Read nothing = ReadTo(*source, source->Positions(), Ends(later));
  EXPECT_TRUE(nothing.values.empty());

  const auto all = NewSource(topic, {{"isolation.level", "read_uncommitted"}});
  EXPECT_THAT(ReadTo(*all, {{kFirst, Offset(0)}}, Ends(Describe(*all))).values, SizeIs(10'010));
}

// Waits until compaction has left at most `records` in a topic.
Read WaitForCompaction(const std::string& topic, std::size_t records) {
  Read read;
  for (int i = 0; i < 60; ++i) {
    const auto source = NewSource(topic);
    read = ReadTo(*source, {{kFirst, Offset(0)}}, Ends(Describe(*source)));
    if (read.values.size() <= records) return read;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  ADD_FAILURE() << "not compacted: " << read.values.size() << " records";
  return read;
}

void ProduceKeyed(const std::string& topic, const std::string& key,
                  std::optional<std::string> value) {
  auto sink = KafkaSink::Open(Options(), topic);
  ASSERT_TRUE(sink) << sink.error().ToString();
  connect::OutgoingRecord record;
  record.partition = kFirst;
  record.key = key;
  if (value) record.value = *value;
  ASSERT_TRUE((*sink)->Produce(record));
  ASSERT_TRUE((*sink)->Flush());
}

constexpr const char* kCompact =
    "--config cleanup.policy=compact --config segment.ms=100 "
    "--config min.cleanable.dirty.ratio=0.001 --config min.compaction.lag.ms=0 "
    "--config delete.retention.ms=0 --config max.compaction.lag.ms=1000";

TEST(Compaction, LeavesHolesThatAreSteppedOver) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1, kCompact);
  for (int i = 0; i < 20; ++i) ProduceKeyed(topic, "same", "v" + std::to_string(i));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ProduceKeyed(topic, "other", "w");  // rolls the segment
  const Read left = WaitForCompaction(topic, 2);
  EXPECT_EQ(left.values, (std::vector<std::string>{"v19", "w"}));
  // The saved position is in the hole.
  const auto source = NewSource(topic);
  const auto info = Describe(*source);
  const Read rest = ReadTo(*source, {{kFirst, Offset(5)}}, Ends(info));
  EXPECT_EQ(rest.values, left.values);
  EXPECT_EQ(source->Positions(), Ends(info));
  EXPECT_GT(source->continuity().skipped, 0);
}

// The last record of a log is never compacted away (it is in the active segment), but deletion can
// leave a log that only has an end.
TEST(Compaction, MayBeFollowedByNothingAtAll) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1);
  Produce(topic, 0, 20, "v");
  test::DeleteRecords(topic, 0, 20);
  const auto source = NewSource(topic);
  const auto info = Describe(*source);
  EXPECT_EQ(info.partitions.at(kFirst).begin, Offset(20));
  EXPECT_EQ(info.partitions.at(kFirst).end, Offset(20));
  const Read read = ReadTo(*source, {{kFirst, Offset(20)}}, Ends(info));
  EXPECT_TRUE(read.values.empty());
}

TEST(Timestamps, ComeAsTheyWereWritten) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1,
              "--config message.timestamp.type=CreateTime "
              "--config message.timestamp.after.max.ms=9223372036854775807 "
              "--config message.timestamp.before.max.ms=9223372036854775807");
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> timestamps{-1, 0, 1788256800000, 1788256800000000, kHuge};
  for (const std::int64_t timestamp : timestamps) {
    const std::string command = "python3 " + std::string(std::getenv("WEIR_TEST_KAFKA_RAW")) + " " +
                                Options().brokers + " " + topic + " " + std::to_string(timestamp);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT: our own words only
  }
  const auto source = NewSource(topic);
  ASSERT_TRUE(source->Assign({{kFirst, Offset(0)}}));
  std::vector<std::int64_t> found;
  for (int i = 0; i < 100 && found.size() < timestamps.size(); ++i) {
    const auto batch = source->Poll(kWait, 100);
    ASSERT_TRUE(batch) << batch.error().ToString();
    for (const LogRecord& record : batch->records) found.push_back(record.timestamp_ms);
  }
  EXPECT_EQ(found, timestamps);
}

TEST(Timestamps, MayBeTheBrokers) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1, "--config message.timestamp.type=LogAppendTime");
  Produce(topic, 0, 1, "v");
  const auto source = NewSource(topic);
  ASSERT_TRUE(source->Assign({{kFirst, Offset(0)}}));
  for (int i = 0; i < 100; ++i) {
    const auto batch = source->Poll(kWait, 100);
    ASSERT_TRUE(batch) << batch.error().ToString();
    if (batch->empty()) continue;
    EXPECT_EQ(batch->records[0].timestamp_type, TimestampType::kLogAppend);
    EXPECT_GT(batch->records[0].timestamp_ms, 1'700'000'000'000);
    return;
  }
  FAIL() << "nothing was read";
}

TEST(Topic, GrowsWhileItIsRead) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 2);
  Produce(topic, 0, 10, "old-");
  const auto source = NewSource(topic);
  auto info = Describe(*source);
  ASSERT_THAT(info.partitions, SizeIs(2));
  const Read before = ReadTo(*source, {{kFirst, Offset(0)}, {Partition(1), Offset(0)}}, Ends(info));
  EXPECT_THAT(before.values, SizeIs(10));
  test::Service("topic alter --topic " + topic + " --partitions 4");
  for (int i = 0; i < 50 && info.partitions.size() < 4; ++i) info = Describe(*source);
  ASSERT_THAT(info.partitions, SizeIs(4));
  Produce(topic, 3, 1000, "new-");
  OffsetMap start = source->Positions();
  start[Partition(2)] = Offset(0);
  start[Partition(3)] = Offset(0);
  const Read after = ReadTo(*source, start, Ends(Describe(*source)));
  EXPECT_EQ(after.values, Numbered("new-", 1000));
}

TEST(Topic, HasAnotherIdentityWhenItIsMadeAgain) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1);
  Produce(topic, 0, 10, "old-");
  const auto source = NewSource(topic);
  const auto before = Describe(*source);
  EXPECT_FALSE(before.topic_id.empty());
  EXPECT_FALSE(before.cluster_id.empty());
  EXPECT_EQ(Describe(*source).topic_id, before.topic_id);
  test::Service("topic delete --topic " + topic);
  for (int i = 0; i < 100; ++i) {
    const auto info = NewSource(topic)->Describe();
    if (!info && info.error().code == ErrorCode::kTopicMissing) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CreateTopic(topic, 1);
  Produce(topic, 0, 20, "new-");
  const auto fresh = NewSource(topic);
  const auto after = Describe(*fresh);
  EXPECT_EQ(after.cluster_id, before.cluster_id);
  EXPECT_NE(after.topic_id, before.topic_id);
  // The source that was open all along sees it as well.
  for (int i = 0; i < 100 && Describe(*source).topic_id == before.topic_id; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(Describe(*source).topic_id, after.topic_id);
}

TEST(Retention, IsToldWhenItWasFaster) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1);
  Produce(topic, 0, 100, "v");
  test::DeleteRecords(topic, 0, 50);
  const auto source = NewSource(topic);
  EXPECT_EQ(Describe(*source).partitions.at(kFirst).begin, Offset(50));
  ASSERT_TRUE(source->Assign({{kFirst, Offset(10)}}));
  const Error error = FirstRefusal(*source);
  EXPECT_EQ(error.kind, ErrorKind::kRefused);
  EXPECT_EQ(error.code, ErrorCode::kOffsetsExpired);
  EXPECT_THAT(error.message, testing::HasSubstr("starts at offset 50"));
  const Read rest = ReadTo(*source, {{kFirst, Offset(50)}}, {{kFirst, Offset(100)}});
  EXPECT_EQ(rest.values.front(), "v50");
}

TEST(Retention, IsNoExcuseForALogThatEndsTooEarly) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1);
  Produce(topic, 0, 10, "v");
  const auto source = NewSource(topic);
  ASSERT_TRUE(source->Assign({{kFirst, Offset(11)}}));
  EXPECT_EQ(FirstRefusal(*source).code, ErrorCode::kLogTruncated);
}

TEST(Outage, IsToldAndSurvived) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1);
  Produce(topic, 0, 500, "before-");
  const auto source = NewSource(topic);
  const Read before = ReadTo(*source, {{kFirst, Offset(0)}}, {{kFirst, Offset(500)}});
  ASSERT_THAT(before.values, SizeIs(500));
  test::Service("stop --kill");
  bool told = false;
  for (int i = 0; i < 100 && !told; ++i) {
    const auto batch = source->Poll(kWait, 1000);
    told = !batch;
    if (told) {
      EXPECT_EQ(batch.error().kind, ErrorKind::kUnavailable);
    }
  }
  EXPECT_TRUE(told);
  EXPECT_FALSE(source->Describe());
  test::Service("start");
  Produce(topic, 0, 500, "after-");
  std::vector<std::string> values;
  for (int i = 0; i < 300 && values.size() < 500; ++i) {
    const auto batch = source->Poll(kWait, 1000);
    if (!batch) {
      EXPECT_EQ(batch.error().kind, ErrorKind::kUnavailable) << batch.error().ToString();
      continue;
    }
    for (const LogRecord& record : batch->records) values.emplace_back(*record.value);
  }
  EXPECT_EQ(values, Numbered("after-", 500));
  EXPECT_EQ(source->continuity().repeated, 0);
  EXPECT_EQ(source->continuity().gaps, 0);
}

TEST(Rejection, IsToldApartFromAnOutage) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1);
  const auto source = NewSource(topic, {{"security.protocol", "SASL_PLAINTEXT"},
                                        {"sasl.mechanism", "PLAIN"},
                                        {"sasl.username", "u"},
                                        {"sasl.password", "hunter2"}});
  const auto info = source->Describe();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().kind, ErrorKind::kRefused);
  EXPECT_EQ(info.error().code, ErrorCode::kSourceRejected);
  EXPECT_THAT(info.error().ToString(), testing::Not(testing::HasSubstr("hunter2")));
}

TEST(Rejection, CannotBeToldWhereTheBrokerJustHangsUp) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 1);
  const auto info = NewSource(topic, {{"security.protocol", "SSL"}})->Describe();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().kind, ErrorKind::kUnavailable);
  EXPECT_THAT(info.error().message, testing::HasSubstr("SSL"));
}

TEST(CreateTopic, TakesATopicThatIsThere) {
  const std::string topic = NewTopic();
  CreateTopic(topic, 3);
  CreateTopic(topic, 5);
  EXPECT_THAT(Describe(*NewSource(topic)).partitions, SizeIs(3));
}

}  // namespace
}  // namespace weir::kafka
