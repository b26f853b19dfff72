#pragma once
// PartitionClock and Decision: what is known of a partition's event time at an epoch border, and
// what the wall clock decided. The operators work with them, the epoch record keeps them. Plain
// values; meanings in docs/SEMANTICS.md.

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "record/offsets.h"

namespace weir {

/// A watermark before the first valid record of a partition: nothing is late.
inline constexpr Micros kNoWatermark = std::numeric_limits<Micros>::min();

struct PartitionClock {
  std::optional<Micros> max_event_time;  // of its valid records; none: never heard
  std::optional<Micros> floor;           // set when it joined
  bool idle = false;                     // does not hold the pipeline watermark
  bool operator==(const PartitionClock&) const = default;
};

/// kNoWatermark while never heard and without floor.
Micros WatermarkOf(const PartitionClock& clock, Micros delay);

enum class DecisionKind : std::uint8_t { kIdle, kEmpty, kJoined, kSilence };
/// "idle", "empty", "joined", "silence".
std::string_view ToString(DecisionKind kind);
std::optional<DecisionKind> DecisionKindOf(std::string_view text);

/// Something that the wall clock decided. kJoined: at this offset with this floor. kIdle, kEmpty:
/// the partition no longer holds the pipeline watermark. kSilence: all are idle, and `value` is the
/// watermark that the silence has reached.
struct Decision {
  DecisionKind kind = DecisionKind::kIdle;
  Partition partition;
  Offset offset;                // kJoined: of the record; else the next to read
  Micros value = kNoWatermark;  // kJoined: floor; kSilence: watermark
  bool operator==(const Decision&) const = default;
};

}  // namespace weir
