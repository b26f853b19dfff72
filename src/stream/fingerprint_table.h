#pragma once
// FingerprintTable: fingerprint -> time of the row that holds it, in flat memory.
//
// 256 parts, chosen by the upper bits of the fingerprint, each an open-addressing table of its own
// with buckets of a cache line. Parts grow at different times (each has its own sequence of sizes),
// so no growth takes long and none needs a second copy of the whole. Nothing is deleted in place:
// what no longer holds is left out when a part is rebuilt, which keeps the order of the slots and
// so reads and writes memory in sequence. Not thread safe.

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "stream/fingerprint_layout.h"
#include "stream/flat_memory.h"

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
    const std::uint64_t* words = part.words() + kSlots * BucketOf(print, part);
    __builtin_prefetch(words);
    __builtin_prefetch(words + kSlots);
  }
  /// Second: the entry that will be written.
  [[gnu::always_inline]] void PrefetchEntry(const Fingerprint& print) const {
    const Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) return;
    __builtin_prefetch(part.entries() + FreeSlot(part, BucketOf(print, part)), 1);
  }

  /// Whether it is held by a row with time >= floor; if not, `time` holds it from now on. What
  /// holds since before `drop` may be forgotten.
  Held Hold(const Fingerprint& print, Micros time, Micros floor, Micros drop) {
    Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) Rebuild(part, drop, time);
    Slot slot = Find(part, print);
    if (slot.found && TimeAt(part, slot.index) >= floor) return Held::kHeld;
    // Where the time does not fit, a rebuild is worth while only when the base can move far.
    const bool fits = Layout::Fits(time, part.base);
    if (!fits && (drop < kNoWatermark + kBaseStep || drop - kBaseStep < part.base)) {
      return Held::kDoesNotFit;
    }
    if (!fits || (!slot.found && part.used >= Limit(part.buckets))) {
      Rebuild(part, drop, time);
      slot = Find(part, print);
      if (!Layout::Fits(time, part.base)) return Held::kDoesNotFit;
    }
    Layout::Put(print, time, part.words() + slot.index, part.entries() + slot.index);
    if (!slot.found) {
      ++part.used;
      ++keys_;
    }
    return Held::kAdded;
  }

  bool IsHeld(const Fingerprint& print, Micros floor) const {
    const Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) return false;
    const Slot slot = Find(part, print);
    return slot.found && TimeAt(part, slot.index) >= floor;
  }

  /// Frees what parts [begin, end) hold in vain, where that is more than 1/`share` of them. Returns
  /// the slots looked at.
  std::size_t Sweep(std::size_t begin, std::size_t end, Micros floor, std::size_t share) {
    std::size_t seen = 0;
    for (std::size_t i = begin; i < end; ++i) {
      Part& part = parts_[i];
      seen += part.buckets * kSlots;
      const std::size_t dead = part.used - Alive(part, floor);
      if (dead == 0 || dead * share < part.used) continue;
      Rebuild(part, floor, floor);
    }
    return seen;
  }

  /// visit(print, time) for all that hold at this floor.
  template <typename Visitor>
  void Visit(Micros floor, const Visitor& visit) const {
    for (std::size_t i = 0; i < kParts; ++i) {
      ForAlive(parts_[i], floor, [&](std::uint64_t word, const auto& entry, Micros time) {
        visit(Layout::PrintOf(word, entry, i), time);
      });
    }
  }

  std::size_t keys() const { return keys_; }
  std::size_t bytes() const { return bytes_ + sizeof *this; }

 private:
  using Entry = typename Layout::Entry;
  static constexpr std::size_t kSlots = 8;                    // of a bucket: a cache line
  static constexpr Micros kBaseStep = std::int64_t{1} << 36;  // 19 hours

  struct Part {
    FlatMemory memory;  // words, then entries
    std::size_t buckets = 0;
    std::size_t used = 0;
    Micros base = 0;  // see CompactLayout

    std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(memory.data()); }
    Entry* entries() const {
      return reinterpret_cast<Entry*>(memory.data() + buckets * kSlots * sizeof(std::uint64_t));
    }
  };
  struct Slot {
    std::size_t index = 0;
    bool found = false;  // else where it would go
  };
  // Ascending with the fingerprint, whatever the number of buckets.
  static std::size_t BucketOf(const Fingerprint& print, const Part& part) {
    return static_cast<std::size_t>((static_cast<UInt128>(print.low << 8) * part.buckets) >> 64);
  }
  static std::size_t Limit(std::size_t buckets) { return buckets * kSlots * Layout::kFull / 100; }
  static Micros TimeAt(const Part& part, std::size_t index) {
    return Layout::TimeOf(part.words()[index], part.entries()[index], part.base);
  }

  // A bucket is filled from its first slot on, and a chain ends at the first bucket with room.
  static Slot Find(const Part& part, const Fingerprint& print) {
    for (std::size_t bucket = BucketOf(print, part);; bucket = Next(part, bucket)) {
      const std::uint64_t* words = part.words() + kSlots * bucket;
      for (std::uint32_t found = Layout::ScanFor(words, print); found != 0; found &= found - 1) {
        const std::size_t at = kSlots * bucket + static_cast<std::size_t>(std::countr_zero(found));
        if (Layout::Matches(part.entries()[at], print)) return {at, true};
      }
      if (const std::uint32_t empty = ScanBucket<0>(words, 0); empty != 0) {
        return {kSlots * bucket + static_cast<std::size_t>(std::countr_zero(empty)), false};
      }
    }
  }
  static std::size_t FreeSlot(const Part& part, std::size_t bucket) {
    for (;; bucket = Next(part, bucket)) {
      const std::uint32_t empty = ScanBucket<0>(part.words() + kSlots * bucket, 0);
      if (empty != 0) return kSlots * bucket + static_cast<std::size_t>(std::countr_zero(empty));
    }
  }
  static std::size_t Next(const Part& part, std::size_t bucket) {
    return bucket + 1 == part.buckets ? 0 : bucket + 1;
  }

  template <typename Visitor>
  static void ForAlive(const Part& part, Micros floor, const Visitor& visit) {
    for (std::size_t at = 0; at < part.buckets * kSlots; ++at) {
      const std::uint64_t word = part.words()[at];
      if (word == 0) continue;
      const Micros time = TimeAt(part, at);
      if (time >= floor) visit(word, part.entries()[at], time);
    }
  }
  static std::size_t Alive(const Part& part, Micros floor) {
    std::size_t alive = 0;
    ForAlive(part, floor, [&](std::uint64_t, const Entry&, Micros) { ++alive; });
    return alive;
  }

  // A fresh copy of what holds, with room for more. `time`: of the row that is to be put next.
  void Rebuild(Part& part, Micros floor, Micros time) {
    Part fresh;
    fresh.base = floor == kNoWatermark && part.buckets != 0 ? part.base
                 : floor == kNoWatermark                    ? Layout::FirstBase(time)
                                         : std::max(floor, part.buckets == 0 ? floor : part.base);
    fresh.buckets = FingerprintBuckets(Alive(part, floor), Layout::kFull, IndexOf(part));
    fresh.memory = FlatMemory(fresh.buckets * kSlots * (sizeof(std::uint64_t) + sizeof(Entry)));
    ForAlive(part, floor, [&](std::uint64_t word, const Entry& entry, Micros held) {
      const Fingerprint print = Layout::PrintOf(word, entry, IndexOf(part));
      const std::size_t at = FreeSlot(fresh, BucketOf(print, fresh));
      Layout::Put(print, held, fresh.words() + at, fresh.entries() + at);
      ++fresh.used;
    });
    keys_ -= part.used - fresh.used;
    bytes_ += fresh.memory.bytes();
    bytes_ -= part.memory.bytes();
    part = std::move(fresh);
  }
  std::size_t IndexOf(const Part& part) const {
    return static_cast<std::size_t>(&part - parts_.data());
  }
  std::array<Part, kParts> parts_;
  std::size_t keys_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace weir::stream
