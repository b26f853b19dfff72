#include "kafka/topic_admin.h"

#include <utility>

#include "base/bytes.h"
#include "kafka/kafka_sink.h"

namespace weir::kafka {

namespace {

using OptionsPtr =
    std::unique_ptr<rd_kafka_AdminOptions_t, Destroyer<&rd_kafka_AdminOptions_destroy>>;
using NewTopicPtr = std::unique_ptr<rd_kafka_NewTopic_t, Destroyer<&rd_kafka_NewTopic_destroy>>;
using DeleteTopicPtr =
    std::unique_ptr<rd_kafka_DeleteTopic_t, Destroyer<&rd_kafka_DeleteTopic_destroy>>;

OptionsPtr OptionsFor(Client& client, rd_kafka_admin_op_t operation,
                      Micros timeout = kAdminTimeout) {
  OptionsPtr options(rd_kafka_AdminOptions_new(client.handle(), operation));
  char reason[128] = "";
  rd_kafka_AdminOptions_set_request_timeout(
      options.get(), static_cast<int>(timeout / kMicrosPerMilli), reason, sizeof reason);
  return options;
}

QueuePtr NewQueue(Client& client) { return QueuePtr(rd_kafka_queue_new(client.handle())); }

std::string Doing(Client& client, const std::string& topic) {
  return "topic '" + Printable(topic) + "' at " + Printable(client.brokers());
}

Status CheckError(Client& client, const std::string& topic, const rd_kafka_error_t* error) {
  if (error == nullptr || rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_NO_ERROR) return Ok();
  return client.ErrorOf(rd_kafka_error_code(error), Doing(client, topic),
                        rd_kafka_error_string(error));
}

Client::Setup ProducerSetup() {
  Client::Setup setup;
  setup.role = RD_KAFKA_PRODUCER;
  return setup;
}

Result<std::string> AskClusterId(Client& client) {
  const QueuePtr queue = NewQueue(client);
  const OptionsPtr options = OptionsFor(client, RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER);
  rd_kafka_DescribeCluster(client.handle(), options.get(), queue.get());
  WEIR_ASSIGN_OR_RETURN(const EventPtr event, client.Await(queue.get(), kAdminTimeout));
  const char* id = rd_kafka_DescribeCluster_result_cluster_id(
      rd_kafka_event_DescribeCluster_result(event.get()));
  return std::string(id == nullptr ? "" : id);
}

}  // namespace

Result<TopicShape> AskShape(Client& client, const std::string& topic) {
  TopicShape shape;
  WEIR_ASSIGN_OR_RETURN(shape.cluster_id, AskClusterId(client));
  const QueuePtr queue = NewQueue(client);
  const OptionsPtr options = OptionsFor(client, RD_KAFKA_ADMIN_OP_DESCRIBETOPICS);
  const char* names[] = {topic.c_str()};
  const std::unique_ptr<rd_kafka_TopicCollection_t, Destroyer<&rd_kafka_TopicCollection_destroy>>
      topics(rd_kafka_TopicCollection_of_topic_names(names, 1));
  rd_kafka_DescribeTopics(client.handle(), topics.get(), options.get(), queue.get());
  WEIR_ASSIGN_OR_RETURN(const EventPtr event, client.Await(queue.get(), kAdminTimeout));
  std::size_t count = 0;
  const auto* descriptions = rd_kafka_DescribeTopics_result_topics(
      rd_kafka_event_DescribeTopics_result(event.get()), &count);
  if (count != 1) return Internal("Kafka described " + std::to_string(count) + " topics, not one");
  WEIR_TRY(CheckError(client, topic, rd_kafka_TopicDescription_error(descriptions[0])));
  const rd_kafka_Uuid_t* id = rd_kafka_TopicDescription_topic_id(descriptions[0]);
  // Brokers before topic ids existed answer with zeros.
  if (id != nullptr && (rd_kafka_Uuid_most_significant_bits(id) != 0 ||
                        rd_kafka_Uuid_least_significant_bits(id) != 0)) {
    shape.topic_id = rd_kafka_Uuid_base64str(id);
  }
  const auto** partitions = rd_kafka_TopicDescription_partitions(descriptions[0], &count);
  for (std::size_t i = 0; i < count; ++i) {
    shape.partitions.emplace_back(rd_kafka_TopicPartitionInfo_partition(partitions[i]));
  }
  client.MarkReachable();
  return shape;
}

Result<OffsetMap> AskOffsets(Client& client, const std::string& topic,
                             const std::vector<Partition>& partitions, std::int64_t spec,
                             rd_kafka_IsolationLevel_t isolation, Micros timeout) {
  if (partitions.empty()) return OffsetMap();
  const PartitionListPtr wanted(
      rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const Partition partition : partitions) {
    rd_kafka_topic_partition_list_add(wanted.get(), topic.c_str(), partition.value())->offset =
        spec;
  }
  const QueuePtr queue = NewQueue(client);
  const OptionsPtr options = OptionsFor(client, RD_KAFKA_ADMIN_OP_LISTOFFSETS, timeout);
  const ErrorPtr refused(rd_kafka_AdminOptions_set_isolation_level(options.get(), isolation));
  WEIR_TRY(CheckError(client, topic, refused.get()));
  rd_kafka_ListOffsets(client.handle(), wanted.get(), options.get(), queue.get());
  WEIR_ASSIGN_OR_RETURN(const EventPtr event, client.Await(queue.get(), timeout));
  std::size_t count = 0;
  const auto** infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event.get()), &count);
  OffsetMap offsets;
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_topic_partition_t* found =
        rd_kafka_ListOffsetsResultInfo_topic_partition(infos[i]);
    if (found->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return client.ErrorOf(
          found->err, Doing(client, topic) + ", partition " + std::to_string(found->partition));
    }
    // A leader that did not answer in time leaves its partitions as they were made.
    if (found->offset == RD_KAFKA_OFFSET_INVALID) return client.Away();
    if (found->offset >= 0) offsets[Partition(found->partition)] = Offset(found->offset);
  }
  client.MarkReachable();
  return offsets;
}

Status CreateTopic(const ClientOptions& options, const std::string& topic, int partitions) {
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<Client> client,
                        Client::Open(options, ProducerSetup()));
  char reason[512] = "";
  const NewTopicPtr wanted(rd_kafka_NewTopic_new(topic.c_str(), partitions,
                                                 /*replication_factor=*/-1, reason, sizeof reason));
  if (!wanted) {
    return InvalidInput("topic '" + Printable(topic) + "' cannot be created: " + Printable(reason),
                        ErrorCode::kBadValue);
  }
  const QueuePtr queue = NewQueue(*client);
  const OptionsPtr admin = OptionsFor(*client, RD_KAFKA_ADMIN_OP_CREATETOPICS);
  rd_kafka_NewTopic_t* topics[] = {wanted.get()};
  rd_kafka_CreateTopics(client->handle(), topics, 1, admin.get(), queue.get());
  WEIR_ASSIGN_OR_RETURN(const EventPtr event, client->Await(queue.get(), kAdminTimeout));
  std::size_t count = 0;
  const auto** results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t code = rd_kafka_topic_result_error(results[i]);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
      continue;
    }
    const char* detail = rd_kafka_topic_result_error_string(results[i]);
    return client->ErrorOf(code, "creating " + Doing(*client, topic),
                           detail == nullptr ? "" : detail);
  }
  return Ok();
}

Status DeleteTopic(const ClientOptions& options, const std::string& topic) {
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<Client> client,
                        Client::Open(options, ProducerSetup()));
  const DeleteTopicPtr unwanted(rd_kafka_DeleteTopic_new(topic.c_str()));
  const QueuePtr queue = NewQueue(*client);
  const OptionsPtr admin = OptionsFor(*client, RD_KAFKA_ADMIN_OP_DELETETOPICS);
  rd_kafka_DeleteTopic_t* topics[] = {unwanted.get()};
  rd_kafka_DeleteTopics(client->handle(), topics, 1, admin.get(), queue.get());
  WEIR_ASSIGN_OR_RETURN(const EventPtr event, client->Await(queue.get(), kAdminTimeout));
  std::size_t count = 0;
  const auto** results =
      rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t code = rd_kafka_topic_result_error(results[i]);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
      continue;
    }
    return client->ErrorOf(code, "deleting " + Doing(*client, topic));
  }
  return Ok();
}

}  // namespace weir::kafka
