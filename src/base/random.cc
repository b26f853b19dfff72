#include "base/random.h"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <sys/random.h>

#include "base/check.h"

namespace weir {
namespace {

// Spreads a seed over the state, so that seeds 1 and 2 give unrelated sequences.
std::uint64_t SplitMix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

// Sets the version digit and the variant bits of RFC 9562 and prints.
std::string UuidText(std::uint64_t high, std::uint64_t low, std::uint64_t version) {
  high = (high & ~std::uint64_t{0xf000}) | (version << 12);
  low = (low & 0x3fffffffffffffffU) | 0x8000000000000000U;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffffffffffffU);
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = SplitMix(seed);
}

std::uint64_t Random::Next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

// The high half of a 128-bit product falls in [0, bound). Low halves below 2^64 mod bound would
// make some results likelier than others and are drawn again.
std::uint64_t Random::Below(std::uint64_t bound) {
  WEIR_CHECK(bound > 0);
  unsigned __int128 product = static_cast<unsigned __int128>(Next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t surplus = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < surplus) {
      product = static_cast<unsigned __int128>(Next()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Random::Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

namespace {
std::mutex seeded_mutex;
std::unique_ptr<Random> seeded;  // guarded by seeded_mutex; nullptr outside the simulation
std::atomic<bool> is_seeded{false};
}  // namespace

void SeedEntropy(std::uint64_t seed) {
  std::lock_guard lock(seeded_mutex);
  seeded = std::make_unique<Random>(seed);
  is_seeded = true;
}

std::uint64_t EntropyU64() {
  if (is_seeded) {
    std::lock_guard lock(seeded_mutex);
    return seeded->Next();
  }
  std::uint64_t word = 0;
  WEIR_CHECK(getentropy(&word, sizeof word) == 0);
  return word;
}

std::string NewUuid() { return UuidText(EntropyU64(), EntropyU64(), 4); }

std::string NewUuidV7(std::int64_t now_ms) {
  const auto time = static_cast<std::uint64_t>(now_ms) << 16;
  return UuidText(time | (EntropyU64() & 0xfff), EntropyU64(), 7);
}

}  // namespace weir
