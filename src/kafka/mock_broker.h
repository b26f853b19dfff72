#pragma once
// For the tests of this folder: librdkafka's mock cluster, a broker inside the process. It has no
// transactions, no compaction and no security; tests/kafka has those, against a real broker.

#include <string>

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "kafka/client_options.h"

namespace weir::kafka::test {

class MockBroker {
 public:
  MockBroker() {
    char reason[256] = "";
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, nullptr);
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
    EXPECT_NE(handle_, nullptr) << reason;
    cluster_ = rd_kafka_mock_cluster_new(handle_, 1);
    EXPECT_NE(cluster_, nullptr);
    rd_kafka_mock_set_controller_id(cluster_, 1);
  }
  MockBroker(const MockBroker&) = delete;
  MockBroker& operator=(const MockBroker&) = delete;
  ~MockBroker() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(handle_);
  }

  ClientOptions options() const {
    ClientOptions options;
    options.brokers = rd_kafka_mock_cluster_bootstraps(cluster_);
    options.options = {{"reconnect.backoff.max.ms", "100"}, {"reconnect.backoff.ms", "50"}};
    return options;
  }
  void CreateTopic(const std::string& topic, int partitions) {
    EXPECT_EQ(rd_kafka_mock_topic_create(cluster_, topic.c_str(), partitions, 1), 0);
  }
  void SetDown(bool down) {
    EXPECT_EQ(down ? rd_kafka_mock_broker_set_down(cluster_, 1)
                   : rd_kafka_mock_broker_set_up(cluster_, 1),
              0);
  }

 private:
  rd_kafka_t* handle_;
  rd_kafka_mock_cluster_t* cluster_;
};

}  // namespace weir::kafka::test
