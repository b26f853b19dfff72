#include "broker.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "kafka/kafka_sink.h"

namespace weir::kafka::test {

namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr)
    ADD_FAILURE() << name << " is not set: start this program by tests/kafka/run";
  return value == nullptr ? "" : value;
}

void Check(rd_kafka_error_t* error) {
  if (error == nullptr) return;
  ADD_FAILURE() << rd_kafka_error_string(error);
  rd_kafka_error_destroy(error);
}

}  // namespace

ClientOptions Options() {
  ClientOptions options;
  options.brokers = Environment("WEIR_TEST_KAFKA");
  options.options = {{"reconnect.backoff.max.ms", "500"}};
  return options;
}

void Service(const std::string& arguments) {
  const std::string command =
      Environment("WEIR_TEST_KAFKA_SERVICE") + " " + arguments.substr(0, arguments.find(' ')) +
      " --dir " + Environment("WEIR_TEST_KAFKA_DIR") +
      (arguments.find(' ') == std::string::npos ? "" : arguments.substr(arguments.find(' '))) +
      " >/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT: our own words only
}

std::string NewTopic() {
  static int number = 0;
  return "t" + std::to_string(++number) + "-" +
         testing::UnitTest::GetInstance()->current_test_info()->name();
}

void CreateTopic(const std::string& topic, int partitions, const std::string& config) {
  if (config.empty()) {
    const Status status = kafka::CreateTopic(Options(), topic, partitions);
    ASSERT_TRUE(status) << status.error().ToString();
    return;
  }
  Service("topic create --topic " + topic + " --partitions " + std::to_string(partitions) + " " +
          config);
}

void DeleteRecords(const std::string& topic, int partition, std::int64_t before) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char reason[256] = "";
  rd_kafka_conf_set(conf, "bootstrap.servers", Options().brokers.c_str(), reason, sizeof reason);
  rd_kafka_t* handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, topic.c_str(), partition)->offset = before;
  rd_kafka_DeleteRecords_t* wanted = rd_kafka_DeleteRecords_new(list);
  rd_kafka_queue_t* queue = rd_kafka_queue_new(handle);
  rd_kafka_DeleteRecords(handle, &wanted, 1, nullptr, queue);
  rd_kafka_event_t* event = rd_kafka_queue_poll(queue, 30'000);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(rd_kafka_event_error(event), RD_KAFKA_RESP_ERR_NO_ERROR)
      << rd_kafka_event_error_string(event);
  rd_kafka_event_destroy(event);
  rd_kafka_queue_destroy(queue);
  rd_kafka_DeleteRecords_destroy(wanted);
  rd_kafka_topic_partition_list_destroy(list);
  rd_kafka_destroy(handle);
}

void Produce(const std::string& topic, int partition, int count, const std::string& prefix,
             const ClientOptions& options) {
  auto sink = KafkaSink::Open(options, topic);
  ASSERT_TRUE(sink) << sink.error().ToString();
  for (int i = 0; i < count; ++i) {
    const std::string value = prefix + std::to_string(i);
    connect::OutgoingRecord record;
    record.partition = Partition(partition);
    record.value = value;
    const Status status = (*sink)->Produce(record);
    ASSERT_TRUE(status) << status.error().ToString();
  }
  const Status status = (*sink)->Flush();
  ASSERT_TRUE(status) << status.error().ToString();
}

Transaction::Transaction(const std::string& id, std::string topic) : topic_(std::move(topic)) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char reason[256] = "";
  rd_kafka_conf_set(conf, "bootstrap.servers", Options().brokers.c_str(), reason, sizeof reason);
  rd_kafka_conf_set(conf, "transactional.id", id.c_str(), reason, sizeof reason);
  rd_kafka_conf_set_log_cb(conf, nullptr);
  handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
  EXPECT_NE(handle_, nullptr) << reason;
  Check(rd_kafka_init_transactions(handle_, 60'000));
}

Transaction::~Transaction() { rd_kafka_destroy(handle_); }

void Transaction::Begin() { Check(rd_kafka_begin_transaction(handle_)); }

void Transaction::Write(int count, const std::string& prefix) {
  for (int i = 0; i < count; ++i) {
    const std::string value = prefix + std::to_string(i);
    EXPECT_EQ(rd_kafka_producev(handle_, RD_KAFKA_V_TOPIC(topic_.c_str()), RD_KAFKA_V_PARTITION(0),
                                RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY | RD_KAFKA_MSG_F_BLOCK),
                                RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
                                RD_KAFKA_V_END),
              RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  EXPECT_EQ(rd_kafka_flush(handle_, 30'000), RD_KAFKA_RESP_ERR_NO_ERROR);
}

void Transaction::Commit() { Check(rd_kafka_commit_transaction(handle_, 30'000)); }
void Transaction::Abort() { Check(rd_kafka_abort_transaction(handle_, 30'000)); }

}  // namespace weir::kafka::test
