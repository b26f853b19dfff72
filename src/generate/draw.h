#pragma once
// Draws that decide bytes of the corpus. Integers only, so that every machine draws the same; what
// stands here may never change (docs/GENERATOR.md).

#include <cstdint>

#include "base/random.h"

namespace weir::generate {

/// Uniform in [0, bound); 0 < bound <= 2^32. Faster than Random::Below; its bias is below 2^-32.
inline std::uint32_t Pick(Random& random, std::uint64_t bound) {
  return static_cast<std::uint32_t>(((random.Next() >> 32) * bound) >> 32);
}

/// In [0, bound), small numbers more often: the square of a uniform number. The first hundredth of
/// the range gets a tenth of the draws.
inline std::uint32_t PickSkewed(Random& random, std::uint64_t bound) {
  const std::uint64_t uniform = random.Next() >> 32;
  return static_cast<std::uint32_t>((((uniform * uniform) >> 32) * bound) >> 32);
}

/// True in `ppm` of a million draws.
inline bool Chance(Random& random, std::uint32_t ppm) { return Pick(random, 1'000'000) < ppm; }

}  // namespace weir::generate
