#pragma once
// EventRow: one valid record as the event-time operators see it. A plain value.

#include <cstdint>

#include "base/time.h"
#include "record/offsets.h"
#include "record/partition_clock.h"

namespace weir::stream {

struct EventRow {
  std::uint32_t row = 0;  // of the batch
  Partition partition;
  Offset offset;
  Micros event_time = 0;
  Micros watermark = kNoWatermark;  // of its partition, before this record
};

}  // namespace weir::stream
