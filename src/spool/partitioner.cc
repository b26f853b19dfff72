#include "spool/partitioner.h"

#include "base/check.h"

namespace weir::spool {

std::int32_t Murmur2(std::string_view bytes) {
  constexpr std::uint32_t kSeed = 0x9747b28cU;
  constexpr std::uint32_t kMultiplier = 0x5bd1e995U;
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
  };
  std::uint32_t hash = kSeed ^ static_cast<std::uint32_t>(bytes.size());
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t word = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24;
    word *= kMultiplier;
    word ^= word >> 24;
    word *= kMultiplier;
    hash = hash * kMultiplier ^ word;
  }
  if (at < bytes.size()) {
    for (std::size_t i = bytes.size(); i-- > at;) hash ^= byte(i) << (8 * (i - at));
    hash *= kMultiplier;
  }
  hash ^= hash >> 13;
  hash *= kMultiplier;
  hash ^= hash >> 15;
  return static_cast<std::int32_t>(hash);
}

Partition PartitionOf(std::string_view key, int partitions) {
  WEIR_DCHECK(partitions > 0);
  return Partition((Murmur2(key) & 0x7fffffff) % partitions);
}

}  // namespace weir::spool
