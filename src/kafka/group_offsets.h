#pragma once
// GroupOffsets: where a consumer group stands in a topic, for who takes its work over.

#include <string>

#include "base/result.h"
#include "kafka/client_options.h"
#include "record/offsets.h"

namespace weir::kafka {

struct GroupOffsets {
  OffsetMap committed;  // partitions without a committed offset are missing
  int members = 0;      // that are in the group now, and may go on committing
};

/// kUnavailable WEIR0301, kNotFound WEIR0302 (no topic, or no such group), kRefused WEIR0303.
Result<GroupOffsets> AskGroupOffsets(const ClientOptions& options, const std::string& topic,
                                     const std::string& group);

}  // namespace weir::kafka
