#pragma once
// Random numbers: a seeded generator whose sequence never changes between versions (the generator
// and the simulation depend on it), and identifiers from the system's entropy.

#include <cstdint>
#include <string>

namespace weir {

/// xoshiro256** seeded by splitmix64. Not thread safe, not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  std::uint64_t Next();
  /// Uniform in [0, bound); bound > 0.
  std::uint64_t Below(std::uint64_t bound);
  /// Uniform in [0, 1).
  double Unit();
  bool Chance(double probability) { return Unit() < probability; }

 private:
  std::uint64_t state_[4];
};

/// 64 bits of the system's entropy.
std::uint64_t EntropyU64();

/// For the simulation: from now on EntropyU64, and so every id, comes from this seed.
void SeedEntropy(std::uint64_t seed);

/// A fresh version 4 UUID, lower case with dashes.
std::string NewUuid();

/// A fresh version 7 UUID (time-ordered), lower case with dashes. now_ms: Unix milliseconds.
std::string NewUuidV7(std::int64_t now_ms);

}  // namespace weir
