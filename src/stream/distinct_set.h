#pragma once
// DistinctSet: how many different values there were, by 128-bit fingerprints of them in a flat
// table. Small until it is used. Not thread safe.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/wire.h"

namespace weir::stream {

class DistinctSet {
 public:
  struct Print {
    std::uint64_t low = 0;  // 0: an empty slot
    std::uint64_t high = 0;
  };
  /// `key`: the bytes that stand for a value (RowKey).
  static Print PrintOf(std::string_view key);
  /// For some dozens of prints before they are put in. (Always inline: GCC takes what only
  /// prefetches for a function without effect.)
  [[gnu::always_inline]] void Prefetch(Print print) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[print.high & (slots_.size() - 1)], 1);
  }
  void Insert(Print print);
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Print); }

  void Write(WireWriter& out) const;
  /// Replaces the set; fails the reader where the bytes are none.
  void Read(WireReader& in);

 private:
  void Put(Print print);

  std::vector<Print> slots_;  // none, or a power of two
  std::size_t size_ = 0;
};

}  // namespace weir::stream
