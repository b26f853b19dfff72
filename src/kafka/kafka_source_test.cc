#include "kafka/kafka_source.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/kafka_sink.h"
#include "kafka/mock_broker.h"

namespace weir::kafka {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Micros kWait = 100 * kMicrosPerMilli;

class KafkaSourceTest : public testing::Test {
 protected:
  void Produce(const std::vector<connect::OutgoingRecord>& records) {
    auto sink = KafkaSink::Open(broker_.options(), "clicks");
    ASSERT_TRUE(sink) << sink.error().ToString();
    for (const connect::OutgoingRecord& record : records) {
      const Status status = (*sink)->Produce(record);
      ASSERT_TRUE(status) << status.error().ToString();
    }
    const Status status = (*sink)->Flush();
    ASSERT_TRUE(status) << status.error().ToString();
  }

  static connect::OutgoingRecord Record(int partition, std::string_view value) {
    connect::OutgoingRecord record;
    record.partition = Partition(partition);
    record.value = value;
    return record;
  }

  std::unique_ptr<KafkaSource> NewSource(bool want_headers = false) {
    auto source = KafkaSource::Open({.client = broker_.options(),
                                     .topic = "clicks",
                                     .group = "weir-test",
                                     .want_headers = want_headers});
    EXPECT_TRUE(source) << source.error().ToString();
    return *std::move(source);
  }

  // Polls until `source` stands at `ends`; gives up after many polls.
  static std::vector<LogBatch> ReadTo(KafkaSource& source, const OffsetMap& ends) {
    std::vector<LogBatch> batches;
    for (int i = 0; i < 300 && source.Positions() != ends; ++i) {
      auto batch = source.Poll(kWait, 1000);
      if (!batch) {
        ADD_FAILURE() << batch.error().ToString();
        break;
      }
      if (!batch->empty()) batches.push_back(*std::move(batch));
    }
    EXPECT_EQ(source.Positions(), ends);
    return batches;
  }

  static std::vector<std::string> Values(const std::vector<LogBatch>& batches) {
    std::vector<std::string> values;
    for (const LogBatch& batch : batches) {
      for (const LogRecord& record : batch.records) {
        values.emplace_back(record.value.value_or("(tombstone)"));
      }
    }
    return values;
  }

  test::MockBroker broker_;
};

TEST_F(KafkaSourceTest, DescribesTheTopic) {
  broker_.CreateTopic("clicks", 3);
  Produce({Record(1, "a"), Record(1, "b")});
  const auto source = NewSource();
  const auto info = source->Describe();
  ASSERT_TRUE(info) << info.error().ToString();
  EXPECT_EQ(info->topic, "clicks");
  EXPECT_FALSE(info->cluster_id.empty());
  ASSERT_THAT(info->partitions, SizeIs(3));
  EXPECT_EQ(info->partitions.at(Partition(0)).end, Offset(0));
  EXPECT_EQ(info->partitions.at(Partition(1)).begin, Offset(0));
  EXPECT_EQ(info->partitions.at(Partition(1)).end, Offset(2));
}

TEST_F(KafkaSourceTest, SaysThatATopicIsMissing) {
  const auto source = NewSource();
  const auto info = source->Describe();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(info.error().code, ErrorCode::kTopicMissing);
  EXPECT_THAT(info.error().message, testing::HasSubstr("clicks"));
}

TEST_F(KafkaSourceTest, ReadsFromTheAssignedOffsets) {
  broker_.CreateTopic("clicks", 2);
  Produce({Record(0, "a0"), Record(0, "a1"), Record(0, "a2"), Record(1, "b0"), Record(1, "b1")});
  const auto source = NewSource();
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(1)}, {Partition(1), Offset(0)}}));
  const auto batches = ReadTo(*source, {{Partition(0), Offset(3)}, {Partition(1), Offset(2)}});
  EXPECT_THAT(Values(batches), testing::UnorderedElementsAre("a1", "a2", "b0", "b1"));
  for (const LogBatch& batch : batches) {
    std::size_t bytes = 0;
    for (const LogRecord& record : batch.records) bytes += record.value->size();
    EXPECT_EQ(batch.bytes, bytes);
  }
  EXPECT_EQ(source->continuity().repeated, 0);
}

TEST_F(KafkaSourceTest, ReplacesAnEarlierAssignment) {
  broker_.CreateTopic("clicks", 2);
  Produce({Record(0, "a0"), Record(0, "a1"), Record(1, "b0")});
  const auto source = NewSource();
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  ReadTo(*source, {{Partition(0), Offset(2)}});
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(1)}, {Partition(1), Offset(0)}}));
  const auto batches = ReadTo(*source, {{Partition(0), Offset(2)}, {Partition(1), Offset(1)}});
  EXPECT_THAT(Values(batches), testing::UnorderedElementsAre("a1", "b0"));
}

TEST_F(KafkaSourceTest, HandsOutNoMoreThanAskedFor) {
  broker_.CreateTopic("clicks", 1);
  constexpr int kRecords = 1'000;
  std::vector<connect::OutgoingRecord> records;
  std::vector<std::string> texts;
  records.reserve(kRecords);
  texts.reserve(kRecords);
  for (int i = 0; i < kRecords; ++i) texts.push_back("v" + std::to_string(i));
  for (const std::string& text : texts) records.push_back(Record(0, text));
  Produce(records);
  const auto source = NewSource();
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  std::vector<std::string> values;
  for (int i = 0; i < 1000 && values.size() < texts.size(); ++i) {
    const auto batch = source->Poll(kWait, 7);
    ASSERT_TRUE(batch) << batch.error().ToString();
    EXPECT_LE(batch->records.size(), 7U);
    for (const LogRecord& record : batch->records) values.emplace_back(*record.value);
    if (!batch->empty()) {
      EXPECT_EQ(source->Positions().at(Partition(0)),
                Offset(batch->records.back().offset.value() + 1));
    }
  }
  EXPECT_EQ(values, texts);
}

TEST_F(KafkaSourceTest, KeepsABatchAliveOnItsOwn) {
  broker_.CreateTopic("clicks", 1);
  Produce({Record(0, "first"), Record(0, "second")});
  std::vector<LogBatch> batches;
  {
    const auto source = NewSource();
    ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
    batches = ReadTo(*source, {{Partition(0), Offset(2)}});
  }
  EXPECT_THAT(Values(batches), ElementsAre("first", "second"));
}

TEST_F(KafkaSourceTest, TellsKeysTombstonesAndTimestampsApart) {
  broker_.CreateTopic("clicks", 1);
  connect::OutgoingRecord full = Record(0, "value");
  full.key = "key";
  full.timestamp_ms = 1788256800000;
  connect::OutgoingRecord empty = Record(0, "");
  empty.key = "";
  connect::OutgoingRecord tombstone;
  tombstone.partition = Partition(0);
  tombstone.key = "gone";
  connect::OutgoingRecord far = Record(0, "far");
  far.timestamp_ms = 1788256800000000;  // microseconds where milliseconds belong
  Produce({full, empty, tombstone, far});
  const auto source = NewSource();
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  const auto batches = ReadTo(*source, {{Partition(0), Offset(4)}});
  std::vector<LogRecord> records;
  for (const LogBatch& batch : batches) {
    records.insert(records.end(), batch.records.begin(), batch.records.end());
  }
  ASSERT_THAT(records, SizeIs(4));
  EXPECT_EQ(records[0].key, "key");
  EXPECT_EQ(records[0].value, "value");
  EXPECT_EQ(records[0].timestamp_ms, 1788256800000);
  EXPECT_EQ(records[0].timestamp_type, TimestampType::kCreate);
  EXPECT_EQ(records[1].key, "");
  EXPECT_EQ(records[1].value, "");
  EXPECT_GT(records[1].timestamp_ms, 1700000000000);
  EXPECT_EQ(records[2].key, "gone");
  EXPECT_EQ(records[2].value, std::nullopt);
  EXPECT_EQ(records[3].key, std::nullopt);
  EXPECT_EQ(records[3].timestamp_ms, 1788256800000000);
}

TEST_F(KafkaSourceTest, ReadsHeadersWhenTheyAreWanted) {
  broker_.CreateTopic("clicks", 1);
  connect::OutgoingRecord record = Record(0, "v");
  record.headers = {{.name = "trace", .value = "abc"},
                    {.name = "empty", .value = ""},
                    {.name = "null", .value = std::nullopt},
                    {.name = "trace", .value = "again"}};
  Produce({record, Record(0, "bare")});
  for (const bool want : {true, false}) {
    const auto source = NewSource(want);
    ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
    const auto batches = ReadTo(*source, {{Partition(0), Offset(2)}});
    const LogRecord& first = batches[0].records[0];
    if (!want) {
      EXPECT_THAT(first.headers, IsEmpty());
      continue;
    }
    ASSERT_THAT(first.headers, SizeIs(4));
    EXPECT_EQ(first.headers[0].name, "trace");
    EXPECT_EQ(first.headers[0].value, "abc");
    EXPECT_EQ(first.headers[1].value, "");
    EXPECT_EQ(first.headers[2].value, std::nullopt);
    EXPECT_EQ(first.headers[3].value, "again");
    EXPECT_THAT(batches.back().records.back().headers, IsEmpty());
  }
}

TEST_F(KafkaSourceTest, FindsOffsetsByTime) {
  broker_.CreateTopic("clicks", 2);
  std::vector<connect::OutgoingRecord> records{Record(0, "a"), Record(0, "b"), Record(1, "c")};
  records[0].timestamp_ms = 1000;
  records[1].timestamp_ms = 2000;
  records[2].timestamp_ms = 1000;
  Produce(records);
  const auto source = NewSource();
  const auto offsets = source->OffsetsAt(5000);
  ASSERT_TRUE(offsets) << offsets.error().ToString();
  EXPECT_EQ(*offsets, (OffsetMap{{Partition(0), Offset(2)}, {Partition(1), Offset(1)}}));
}

TEST_F(KafkaSourceTest, RefusesAnOffsetBehindTheEnd) {
  broker_.CreateTopic("clicks", 1);
  Produce({Record(0, "a")});
  const auto source = NewSource();
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(100)}}));
  std::optional<Error> error;
  for (int i = 0; i < 100 && !error; ++i) {
    const auto batch = source->Poll(kWait, 10);
    if (!batch) error = batch.error();
  }
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, ErrorKind::kRefused);
  EXPECT_EQ(error->code, ErrorCode::kLogTruncated);
  EXPECT_THAT(error->message, testing::HasSubstr("ends at offset 1"));
  EXPECT_THAT(error->message, testing::HasSubstr("offset 100"));
}

TEST_F(KafkaSourceTest, SaysThatTheBrokerIsAwayAndGoesOnWhenItIsBack) {
  broker_.CreateTopic("clicks", 1);
  Produce({Record(0, "before")});
  const auto source = NewSource();
  ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
  ReadTo(*source, {{Partition(0), Offset(1)}});
  broker_.SetDown(true);
  std::optional<Error> error;
  for (int i = 0; i < 100 && !error; ++i) {
    const auto batch = source->Poll(kWait, 10);
    if (!batch) error = batch.error();
  }
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, ErrorKind::kUnavailable);
  EXPECT_EQ(error->code, ErrorCode::kSourceUnavailable);
  const auto info = source->Describe();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().kind, ErrorKind::kUnavailable);
  broker_.SetDown(false);
  Produce({Record(0, "after")});
  std::vector<std::string> values;
  for (int i = 0; i < 200 && values.empty(); ++i) {
    const auto batch = source->Poll(kWait, 10);
    if (!batch) continue;
    for (const LogRecord& record : batch->records) values.emplace_back(*record.value);
  }
  EXPECT_THAT(values, ElementsAre("after"));
}

TEST_F(KafkaSourceTest, ReportsProgressToTheGroup) {
  broker_.CreateTopic("clicks", 1);
  Produce({Record(0, "a"), Record(0, "b")});
  {
    const auto source = NewSource();
    ASSERT_TRUE(source->Assign({{Partition(0), Offset(0)}}));
    ReadTo(*source, {{Partition(0), Offset(2)}});
    ASSERT_TRUE(source->ReportProgress({{Partition(0), Offset(2)}}));
    ASSERT_TRUE(source->ReportProgress({}));
  }
  // What a lag tool sees.
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char reason[256] = "";
  rd_kafka_conf_set(conf, "bootstrap.servers", broker_.options().brokers.c_str(), reason,
                    sizeof reason);
  rd_kafka_conf_set(conf, "group.id", "weir-test", reason, sizeof reason);
  rd_kafka_t* handle = rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason, sizeof reason);
  ASSERT_NE(handle, nullptr) << reason;
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, "clicks", 0);
  EXPECT_EQ(rd_kafka_committed(handle, list, 10'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_EQ(list->elems[0].offset, 2);
  rd_kafka_topic_partition_list_destroy(list);
  rd_kafka_destroy(handle);
}

TEST(KafkaSource, SaysThatNobodyAnswers) {
  ClientOptions client;
  client.brokers = "127.0.0.1:1";
  const auto source = KafkaSource::Open({.client = client, .topic = "clicks", .group = "g"});
  ASSERT_TRUE(source) << source.error().ToString();
  const auto info = (*source)->Describe();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(info.error().code, ErrorCode::kSourceUnavailable);
  EXPECT_THAT(info.error().message, testing::HasSubstr("127.0.0.1:1"));
}

}  // namespace
}  // namespace weir::kafka
