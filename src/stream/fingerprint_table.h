#pragma once
// FingerprintTable: fingerprint -> time of the row that holds it, in flat memory.
//
// 256 parts, chosen by the upper bits of the fingerprint, each an open-addressing table of its own
// (FingerprintPart). Parts grow at different times (each has its own sequence of sizes), so no
// growth takes long and none needs a second copy of the whole. What no longer holds makes room for
// what comes to its bucket, or is left out when a part is rebuilt, which keeps the order of the
// slots and so reads and writes memory in sequence. Not thread safe.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "stream/fingerprint_part.h"

namespace weir::stream {

/// Buckets (of 8 slots) for so many keys in a part: the least of the part's own sequence of sizes
/// that lets it grow for a while until it is `full` per cent full.
std::size_t FingerprintBuckets(std::size_t keys, std::size_t full, std::size_t part);

enum class Held : std::uint8_t { kHeld, kAdded, kDoesNotFit };

template <typename Layout>
class FingerprintTable {
 public:
  static constexpr std::size_t kParts = 256;

  /// First of two steps for some dozens of keys before they are used: their buckets. (Always
  /// inline: GCC takes what only prefetches for a function without effect, and drops its calls.)
  [[gnu::always_inline]] void Prefetch(const Fingerprint& print) const {
    const Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) return;
    const std::uint64_t* words = part.words(part.BucketOf(print));
    __builtin_prefetch(words, 1);
    if constexpr (Part::kTwoLines) __builtin_prefetch(words + Part::kSlots, 1);
  }
  /// Second, where a bucket has more than two lines: the entry that will be written.
  [[gnu::always_inline]] void PrefetchEntry(const Fingerprint& print) const {
    if constexpr (Part::kTwoLines) return;
    const Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) return;
    __builtin_prefetch(&part.entry(part.FreeSlot(part.BucketOf(print))), 1);
  }

  /// Whether it is held by a row with time >= floor; if not, `time` holds it from now on. What
  /// holds since before `drop` may be forgotten.
  Held Hold(const Fingerprint& print, Micros time, Micros floor, Micros drop) {
    Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) Rebuild(part, drop, time);
    auto slot = part.Find(print);
    if (slot.found && part.TimeAt(slot.index) >= floor) return Held::kHeld;
    // Where the time does not fit, a rebuild is worth while only when the base can move far.
    const bool fits = Layout::Fits(time, part.base);
    if (!fits && (drop < kNoWatermark + kBaseStep || drop - kBaseStep < part.base)) {
      return Held::kDoesNotFit;
    }
    if (!fits || (!slot.found && part.used >= part.limit() &&
                  part.DeadIn(part.BucketOf(print), drop) == 0)) {
      Rebuild(part, drop, time);
      slot = part.Find(print);
      if (!Layout::Fits(time, part.base)) return Held::kDoesNotFit;
    }
    if (!slot.found) {
      keys_ -= part.used;
      slot.index = part.MakeRoom(part.BucketOf(print), slot.index, drop);
      keys_ += ++part.used;
    }
    part.oldest = std::min(part.oldest, time);
    Layout::Put(print, time, &part.word(slot.index), &part.entry(slot.index));
    return Held::kAdded;
  }

  bool IsHeld(const Fingerprint& print, Micros floor) const {
    const Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) return false;
    const auto slot = part.Find(print);
    return slot.found && part.TimeAt(slot.index) >= floor;
  }

  /// So many keys more are to come: parts that are made anew meanwhile have room for them. 0 ends
  /// it.
  void Expect(std::size_t keys) {
    const double mean = static_cast<double>(keys == 0 ? 0 : keys_ + keys) / kParts;
    expected_ = static_cast<std::size_t>(mean + 4 * std::sqrt(mean));
  }

  /// Frees what parts [begin, end) hold in vain, where that is more than 1/`share` of them. Returns
  /// the slots looked at.
  std::size_t Sweep(std::size_t begin, std::size_t end, Micros floor, std::size_t share) {
    std::size_t seen = 0;
    for (std::size_t i = begin; i < end; ++i) {
      Part& part = parts_[i];
      seen += part.buckets * Part::kSlots;
      const std::size_t dead = part.used - part.Alive(floor);
      if (dead == 0 || dead * share < part.used) continue;
      Rebuild(part, floor, floor);
    }
    return seen;
  }

  /// visit(print, time) for all that hold at this floor.
  template <typename Visitor>
  void Visit(Micros floor, const Visitor& visit) const {
    for (std::size_t i = 0; i < kParts; ++i) {
      parts_[i].ForAlive(floor, [&](std::uint64_t word, const auto& entry, Micros time) {
        visit(Layout::PrintOf(word, entry, i), time);
      });
    }
  }

  std::size_t keys() const { return keys_; }
  std::size_t bytes() const { return bytes_ + sizeof *this; }

 private:
  using Part = FingerprintPart<Layout>;
  static constexpr Micros kBaseStep = std::int64_t{1} << 36;  // 19 hours

  // A fresh copy of what holds, with room for more. `time`: of the row that is to be put next.
  void Rebuild(Part& part, Micros floor, Micros time) {
    Part fresh;
    fresh.base = floor == kNoWatermark && part.buckets != 0 ? part.base
                 : floor == kNoWatermark                    ? Layout::FirstBase(time)
                                         : std::max(floor, part.buckets == 0 ? floor : part.base);
    const std::size_t keys = std::max(part.Alive(floor), expected_);
    fresh.buckets = FingerprintBuckets(keys, Layout::kFull, IndexOf(part));
    fresh.memory = FlatMemory(fresh.buckets * Part::kBucketBytes, arena_);
    part.ForAlive(floor, [&](std::uint64_t word, const auto& entry, Micros held) {
      const Fingerprint print = Layout::PrintOf(word, entry, IndexOf(part));
      const std::size_t at = fresh.FreeSlot(fresh.BucketOf(print));
      Layout::Put(print, held, &fresh.word(at), &fresh.entry(at));
      ++fresh.used;
      fresh.oldest = std::min(fresh.oldest, held);
    });
    keys_ -= part.used - fresh.used;
    bytes_ += fresh.memory.bytes();
    bytes_ -= part.memory.bytes();
    part = std::move(fresh);
  }
  std::size_t IndexOf(const Part& part) const {
    return static_cast<std::size_t>(&part - parts_.data());
  }
  FlatArena arena_;  // outlives the parts
  std::array<Part, kParts> parts_;
  std::size_t keys_ = 0;
  std::size_t bytes_ = 0;
  std::size_t expected_ = 0;  // keys of a part, while many come
};

}  // namespace weir::stream
