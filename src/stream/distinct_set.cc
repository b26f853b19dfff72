#include "stream/distinct_set.h"

#include <algorithm>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weir::stream {

DistinctSet::Print DistinctSet::PrintOf(std::string_view key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return {hash.low64 == 0 ? 1 : hash.low64, hash.high64};
}

void DistinctSet::Insert(Print print) {
  if (4 * (size_ + 1) > 3 * slots_.size()) {
    std::vector<Print> old(slots_.empty() ? 4 : 2 * slots_.size());
    std::swap(old, slots_);
    size_ = 0;
    for (const Print& kept : old) {
      if (kept.low != 0) Put(kept);
    }
  }
  Put(print);
}

void DistinctSet::Put(Print print) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = print.high & mask;
  for (; slots_[at].low != 0; at = (at + 1) & mask) {
    if (slots_[at].low == print.low && slots_[at].high == print.high) return;
  }
  slots_[at] = print;
  ++size_;
}

void DistinctSet::Write(WireWriter& out) const {
  out.Varint(size_);
  for (const Print& print : slots_) {
    if (print.low == 0) continue;
    out.Fixed64(print.low);
    out.Fixed64(print.high);
  }
}

void DistinctSet::Read(WireReader& in) {
  slots_.clear();
  size_ = 0;
  const std::uint64_t size = in.Varint();
  if (size > in.remaining() / 16) in.Fail();
  for (std::uint64_t i = 0; i < size && in.ok(); ++i) {
    Print print;
    print.low = in.Fixed64();
    print.high = in.Fixed64();
    if (print.low == 0) in.Fail();
    if (in.ok()) Insert(print);
  }
}

}  // namespace weir::stream
