#pragma once
// Which partition a key belongs to, as the default partitioner of Kafka's Java client decides it,
// so that events that Weir produced and events that others produced share one order per user.

#include <cstdint>
#include <string_view>

#include "record/offsets.h"

namespace weir::generate {

/// Kafka's murmur2 (seed 0x9747b28c).
std::uint32_t Murmur2(std::string_view bytes);

/// partitions > 0.
Partition PartitionOf(std::string_view key, int partitions);

}  // namespace weir::generate
