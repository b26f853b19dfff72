#include "kafka/group_offsets.h"

#include "base/bytes.h"
#include "kafka/topic_admin.h"

namespace weir::kafka {
namespace {

using OptionsPtr =
    std::unique_ptr<rd_kafka_AdminOptions_t, Destroyer<&rd_kafka_AdminOptions_destroy>>;

Result<int> AskMembers(Client& client, const std::string& group) {
  const QueuePtr queue(rd_kafka_queue_new(client.handle()));
  const OptionsPtr options(
      rd_kafka_AdminOptions_new(client.handle(), RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS));
  const char* names[] = {group.c_str()};
  rd_kafka_DescribeConsumerGroups(client.handle(), names, 1, options.get(), queue.get());
  WEIR_ASSIGN_OR_RETURN(const EventPtr event, client.Await(queue.get(), kAdminTimeout));
  std::size_t count = 0;
  const auto** groups = rd_kafka_DescribeConsumerGroups_result_groups(
      rd_kafka_event_DescribeConsumerGroups_result(event.get()), &count);
  if (count != 1) return Internal("Kafka described " + std::to_string(count) + " groups, not one");
  const rd_kafka_error_t* error = rd_kafka_ConsumerGroupDescription_error(groups[0]);
  if (error != nullptr)
    return client.ErrorOf(rd_kafka_error_code(error), "group '" + Printable(group) + "'",
                          rd_kafka_error_string(error));
  return static_cast<int>(rd_kafka_ConsumerGroupDescription_member_count(groups[0]));
}

}  // namespace

Result<GroupOffsets> AskGroupOffsets(const ClientOptions& options, const std::string& topic,
                                     const std::string& group) {
  Client::Setup setup;
  setup.role = RD_KAFKA_CONSUMER;
  setup.required = {{"group.id", group}, {"enable.auto.commit", "false"}};
  WEIR_ASSIGN_OR_RETURN(const auto client, Client::Open(options, setup));
  WEIR_ASSIGN_OR_RETURN(const TopicShape shape, AskShape(*client, topic));
  GroupOffsets offsets;
  WEIR_ASSIGN_OR_RETURN(offsets.members, AskMembers(*client, group));
  const PartitionListPtr list(
      rd_kafka_topic_partition_list_new(static_cast<int>(shape.partitions.size())));
  for (const Partition partition : shape.partitions)
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition.value());
  const rd_kafka_resp_err_t failed = rd_kafka_committed(
      client->handle(), list.get(), static_cast<int>(kAdminTimeout / kMicrosPerMilli));
  if (failed != RD_KAFKA_RESP_ERR_NO_ERROR)
    return client->ErrorOf(failed, "offsets of group '" + Printable(group) + "'");
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& entry = list->elems[i];
    if (entry.err == RD_KAFKA_RESP_ERR_NO_ERROR && entry.offset >= 0)
      offsets.committed[Partition(entry.partition)] = Offset(entry.offset);
  }
  if (offsets.committed.empty())
    return NotFound("group '" + Printable(group) + "' has committed nothing in topic '" +
                        Printable(topic) + "'",
                    ErrorCode::kTopicMissing);
  return offsets;
}

}  // namespace weir::kafka
