#include "stream/group_index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/check.h"

namespace weir::stream {

std::uint32_t GroupIndex::SlotOf(std::string_view key) {
  if (2 * (size() + 1) > table_.size()) Grow();
  const std::uint64_t hash = XXH3_64bits(key.data(), key.size());
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at] != 0; at = (at + 1) & mask) {
    const std::uint32_t slot = table_[at] - 1;
    if (hashes_[slot] == hash && KeyOf(slot) == key) return slot;
  }
  WEIR_CHECK(size() < UINT32_MAX - 1);
  const auto slot = static_cast<std::uint32_t>(size());
  table_[at] = slot + 1;
  hashes_.push_back(hash);
  bytes_.append(key);
  offsets_.push_back(bytes_.size());
  return slot;
}

void GroupIndex::Grow() {
  table_.assign(table_.empty() ? 16 : 2 * table_.size(), 0);
  const std::size_t mask = table_.size() - 1;
  for (std::uint32_t slot = 0; slot < size(); ++slot) {
    std::size_t at = hashes_[slot] & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = slot + 1;
  }
}

std::size_t GroupIndex::bytes() const {
  return bytes_.capacity() + offsets_.capacity() * sizeof(std::size_t) +
         hashes_.capacity() * sizeof(std::uint64_t) + table_.capacity() * sizeof(std::uint32_t);
}

}  // namespace weir::stream
