#pragma once
// The real broker of these tests: started by `run`, which says in the environment where it is.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <librdkafka/rdkafka.h>

#include "kafka/client_options.h"
#include "record/offsets.h"

namespace weir::kafka::test {

/// Settings that make a client notice a returning broker soon.
ClientOptions Options();

/// Runs tests/services/kafka with this broker's folder; fails the test when it fails.
void Service(const std::string& arguments);

/// A topic name that no other test has.
std::string NewTopic();
void CreateTopic(const std::string& topic, int partitions, const std::string& config = "");

/// Records up to `before` are gone, as if retention had passed.
void DeleteRecords(const std::string& topic, int partition, std::int64_t before);

/// Writes "<prefix>0", "<prefix>1", ... to a partition.
void Produce(const std::string& topic, int partition, int count, const std::string& prefix,
             const ClientOptions& options = Options());

/// A transactional producer, straight over librdkafka.
class Transaction {
 public:
  Transaction(const std::string& id, std::string topic);
  ~Transaction();
  void Begin();
  void Write(int count, const std::string& prefix);
  void Commit();
  void Abort();

 private:
  std::string topic_;
  rd_kafka_t* handle_ = nullptr;
};

}  // namespace weir::kafka::test
