#include "stream/fingerprint_table.h"

#include <algorithm>
#include <cmath>

namespace weir::stream {

namespace {

// A larger step would waste memory, a smaller one rebuild too often: now each key is moved four
// times on its way to the last size.
constexpr double kGrowth = 1.25;
// After a rebuild at most this part of what counts as full, so that the next one is not soon.
constexpr double kMostFull = 0.86;
constexpr double kParts = 256;

}  // namespace

std::size_t FingerprintBuckets(std::size_t keys, double full, std::size_t part) {
  const double phase = static_cast<double>(part) / kParts;
  const double needed = std::ceil(static_cast<double>(keys + 1) / (kMostFull * full));
  const double step = std::ceil(std::log(needed) / std::log(kGrowth) - phase);
  return static_cast<std::size_t>(std::max(needed, std::ceil(std::pow(kGrowth, step + phase))));
}

}  // namespace weir::stream
