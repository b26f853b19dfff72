#pragma once
// FaultPlan: what to plant among good events and how often, as `--faults
// late=2%:20m,dup=5%,bad=0.5%` says it. A plain value.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace weir::generate {

/// Shares are parts per million of all records.
struct FaultPlan {
  std::uint32_t late_ppm = 0;
  Micros late_by = 1'200 * kMicrosPerSecond;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t bad_ppm = 0;
  std::uint32_t tombstone_ppm = 0;

  bool operator==(const FaultPlan&) const = default;
};

/// "" plants nothing. kInvalidInput WEIR0701: unknown or repeated name, a share that is no
/// percentage with at most four decimals, shares above 100 % together, a span that is missing its
/// unit.
Result<FaultPlan> ParseFaults(std::string_view text);

/// The text that ParseFaults reads back to an equal plan; "" for none.
std::string ToString(const FaultPlan& plan);

}  // namespace weir::generate
