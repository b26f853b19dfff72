#pragma once
// What the brokers know of a topic: identity, partitions, offsets. For the inside of this folder.
// Errors: kUnavailable WEIR0301, kNotFound WEIR0302, kRefused WEIR0303.

#include <string>
#include <vector>

#include "connect/log_source.h"
#include "kafka/client.h"
#include "record/offsets.h"

namespace weir::kafka {

inline constexpr Micros kAdminTimeout = 10 * kMicrosPerSecond;

/// Names and numbers, without offsets.
struct TopicShape {
  std::string cluster_id;
  std::string topic_id;
  std::vector<Partition> partitions;
};

Result<TopicShape> AskShape(Client& client, const std::string& topic);

/// `spec`: RD_KAFKA_OFFSET_SPEC_EARLIEST, _LATEST, or a time in Unix milliseconds, for which
/// partitions without a later record are left out.
Result<OffsetMap> AskOffsets(Client& client, const std::string& topic,
                             const std::vector<Partition>& partitions, std::int64_t spec,
                             rd_kafka_IsolationLevel_t isolation, Micros timeout = kAdminTimeout);

}  // namespace weir::kafka
