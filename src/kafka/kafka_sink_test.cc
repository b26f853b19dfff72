#include "kafka/kafka_sink.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/kafka_source.h"
#include "kafka/mock_broker.h"

namespace weir::kafka {
namespace {

TEST(KafkaSink, SaysThatTheTopicIsMissing) {
  const test::MockBroker broker;
  ClientOptions options = broker.options();
  options.options["allow.auto.create.topics"] = "false";  // the mock broker makes what it is asked
  const auto sink = KafkaSink::Open(options, "nowhere");
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, ErrorCode::kTopicMissing);
}

TEST(KafkaSink, ABrokerThatMakesTopicsIsAskedTo) {
  const test::MockBroker broker;
  const auto sink = KafkaSink::Open(broker.options(), "fresh");
  ASSERT_TRUE(sink) << sink.error().ToString();
  const auto source =
      KafkaSource::Open({.client = broker.options(), .topic = "fresh", .group = "g"});
  ASSERT_TRUE(source);
  const auto topic = (*source)->Describe();
  ASSERT_TRUE(topic) << topic.error().ToString();
  EXPECT_FALSE(topic->partitions.empty());
}

TEST(KafkaSink, PutsKeysWhereTheJavaClientDoes) {
  test::MockBroker broker;
  broker.CreateTopic("clicks", 10);
  auto sink = KafkaSink::Open(broker.options(), "clicks");
  ASSERT_TRUE(sink) << sink.error().ToString();
  // Partition = (murmur2(key) & 0x7fffffff) % 10, with the hashes that Kafka's own tests list.
  const std::map<std::string, int> partitions{{"21", -973932308},
                                              {"foobar", -790332482},
                                              {"a-little-bit-long-string", -985981536},
                                              {"a-little-bit-longer-string", -1486304829},
                                              {"abc", 479470107}};
  for (const auto& [key, hash] : partitions) {
    connect::OutgoingRecord record;
    record.key = key;
    record.value = key;
    ASSERT_TRUE((*sink)->Produce(record));
  }
  ASSERT_TRUE((*sink)->Flush());
  const auto source =
      KafkaSource::Open({.client = broker.options(), .topic = "clicks", .group = "g"});
  ASSERT_TRUE(source);
  OffsetMap start;
  for (int i = 0; i < 10; ++i) start[Partition(i)] = Offset(0);
  ASSERT_TRUE((*source)->Assign(start));
  std::map<std::string, int> found;
  for (int i = 0; i < 200 && found.size() < partitions.size(); ++i) {
    const auto batch = (*source)->Poll(100 * kMicrosPerMilli, 100);
    ASSERT_TRUE(batch) << batch.error().ToString();
    for (const LogRecord& record : batch->records) {
      found[std::string(*record.key)] = record.partition.value();
    }
  }
  ASSERT_EQ(found.size(), partitions.size());
  for (const auto& [key, hash] : partitions) {
    EXPECT_EQ(found[key], (hash & 0x7fffffff) % 10) << key;
  }
}

TEST(KafkaSink, RefusesAPartitionThatIsNotThere) {
  test::MockBroker broker;
  broker.CreateTopic("clicks", 2);
  auto sink = KafkaSink::Open(broker.options(), "clicks");
  ASSERT_TRUE(sink) << sink.error().ToString();
  connect::OutgoingRecord record;
  record.partition = Partition(7);
  record.value = "v";
  Status status = (*sink)->Produce(record);
  if (status) status = (*sink)->Flush();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kProduceFailed);
}

TEST(KafkaSink, ReportsRecordsThatWereLost) {
  test::MockBroker broker;
  broker.CreateTopic("clicks", 1);
  ClientOptions options = broker.options();
  options.options["message.timeout.ms"] = "1500";
  auto sink = KafkaSink::Open(options, "clicks");
  ASSERT_TRUE(sink) << sink.error().ToString();
  broker.SetDown(true);
  connect::OutgoingRecord record;
  record.value = "v";
  ASSERT_TRUE((*sink)->Produce(record));
  ASSERT_TRUE((*sink)->Produce(record));
  const Status status = (*sink)->Flush();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(status.error().code, ErrorCode::kProduceFailed);
  EXPECT_THAT(status.error().message, testing::HasSubstr("2 lost"));
  EXPECT_TRUE((*sink)->Flush()) << "told once";
}

TEST(CreateTopic, SaysThatNobodyAnswers) {
  ClientOptions client;
  client.brokers = "127.0.0.1:1";
  const Status status = CreateTopic(client, "clicks", 2);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kSourceUnavailable);
}

}  // namespace
}  // namespace weir::kafka
