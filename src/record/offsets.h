#pragma once
// Where a reader stands in a log: partitions, offsets, and the position of a partition in the
// history of a pipeline.

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "base/strong.h"

namespace weir {

/// A partition number within its topic.
using Partition = Strong<struct PartitionTag, std::int32_t>;

/// A record's place in its partition. As the end of a range it is exclusive: the next to read.
using Offset = Strong<struct OffsetTag, std::int64_t>;

/// Partition -> next offset to read.
using OffsetMap = std::map<Partition, Offset>;

/// Position of a partition: (claim number, epoch number), compared left first. Strictly increasing
/// for a partition whoever owns it. {0, 0}: nothing applied yet. See docs/PROTOCOL.md.
struct Position {
  std::int64_t since = 0;
  std::int64_t epoch = 0;
  auto operator<=>(const Position&) const = default;
};

std::string ToString(Position position);

}  // namespace weir
