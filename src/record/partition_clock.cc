#include "record/partition_clock.h"

#include <algorithm>
#include <array>

namespace weir {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"idle", "empty", "joined", "silence"};

}  // namespace

Micros WatermarkOf(const PartitionClock& clock, Micros delay) {
  Micros watermark = clock.floor.value_or(kNoWatermark);
  if (clock.max_event_time) watermark = std::max(watermark, *clock.max_event_time - delay);
  return watermark;
}

std::string_view ToString(DecisionKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<DecisionKind> DecisionKindOf(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<DecisionKind>(found - kNames.begin());
}

}  // namespace weir
