#include "generate/partitioner.h"

#include "base/check.h"

namespace weir::generate {
namespace {

constexpr std::uint32_t kMultiplier = 0x5bd1e995;
constexpr std::uint32_t kSeed = 0x9747b28c;

std::uint32_t ByteAt(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

}  // namespace

std::uint32_t Murmur2(std::string_view bytes) {
  std::uint32_t hash = kSeed ^ static_cast<std::uint32_t>(bytes.size());
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t word = ByteAt(bytes, at) | ByteAt(bytes, at + 1) << 8 |
                         ByteAt(bytes, at + 2) << 16 | ByteAt(bytes, at + 3) << 24;
    word *= kMultiplier;
    word ^= word >> 24;
    word *= kMultiplier;
    hash = hash * kMultiplier ^ word;
  }
  const std::size_t rest = bytes.size() - at;
  if (rest >= 3) hash ^= ByteAt(bytes, at + 2) << 16;
  if (rest >= 2) hash ^= ByteAt(bytes, at + 1) << 8;
  if (rest >= 1) hash = (hash ^ ByteAt(bytes, at)) * kMultiplier;
  hash ^= hash >> 13;
  hash *= kMultiplier;
  return hash ^ hash >> 15;
}

Partition PartitionOf(std::string_view key, int partitions) {
  WEIR_DCHECK(partitions > 0);
  const std::uint32_t positive = Murmur2(key) & 0x7fffffffU;
  return Partition(static_cast<std::int32_t>(positive % static_cast<std::uint32_t>(partitions)));
}

}  // namespace weir::generate
