#pragma once
// Where a key goes: the same partition as Kafka's default partitioner picks, so that a topic looks
// the same in both logs.

#include <cstdint>
#include <string_view>

#include "record/offsets.h"

namespace weir::spool {

/// MurmurHash2, 32 bits, with the seed and the little-endian tail that Kafka uses.
std::int32_t Murmur2(std::string_view bytes);

/// partitions > 0.
Partition PartitionOf(std::string_view key, int partitions);

}  // namespace weir::spool
