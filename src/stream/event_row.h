#pragma once
// EventRow: one valid record as the event-time operators see it. A plain value.

#include <cstdint>
#include <limits>

#include "base/time.h"
#include "record/offsets.h"

namespace weir::stream {

/// A watermark before the first valid record of a partition: nothing is late.
inline constexpr Micros kNoWatermark = std::numeric_limits<Micros>::min();

struct EventRow {
  std::uint32_t row = 0;  // of the batch
  Partition partition;
  Offset offset;
  Micros event_time = 0;
  Micros watermark = kNoWatermark;  // of its partition, before this record
};

}  // namespace weir::stream
