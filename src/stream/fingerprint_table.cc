#include "stream/fingerprint_table.h"

#include <algorithm>
#include <cmath>

namespace weir::stream {

namespace {

// From 64 to 90 % full, 76 % on the mean: with 24 bytes a slot 32 bytes a key, with 12 bytes 16.
constexpr double kGrowth = 1.4;
// Fuller than this after a rebuild, the next one would come too soon.
constexpr double kMostFull = 0.78;
constexpr double kSlots = 8;
constexpr double kParts = 256;

}  // namespace

std::size_t FingerprintBuckets(std::size_t keys, std::size_t part) {
  const double phase = static_cast<double>(part) / kParts;
  const double needed = std::ceil(static_cast<double>(keys + 1) / kMostFull / kSlots);
  const double step = std::ceil(std::log(needed) / std::log(kGrowth) - phase);
  return static_cast<std::size_t>(std::max(needed, std::ceil(std::pow(kGrowth, step + phase))));
}

}  // namespace weir::stream
