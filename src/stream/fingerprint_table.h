#pragma once
// FingerprintTable: fingerprint -> time of the row that holds it, in flat memory.
//
// 256 parts, chosen by the upper bits of the fingerprint, each an open-addressing table of its own
// with buckets of eight words, a cache line, and the entries of these words right behind them: what
// is looked at and what is written lie together, so a key costs two misses, whose lines are next to
// each other as a rule. Parts grow at different times (each has its own sequence of sizes),
// so no growth takes long and none needs a second copy of the whole. Nothing is deleted: what no
// longer holds is overwritten by what comes to its bucket, or left out when a part is rebuilt,
// which keeps the order of the slots and so reads and writes memory in sequence. Not thread safe.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
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
    const std::uint64_t* words = part.words(BucketOf(print, part));
    __builtin_prefetch(words, 1);
    if constexpr (kBucketBytes <= 2 * kLineBytes) __builtin_prefetch(words + kSlots, 1);
  }
  /// Second, where a bucket has more than two lines: the entry that will be written.
  [[gnu::always_inline]] void PrefetchEntry(const Fingerprint& print) const {
    if constexpr (kBucketBytes <= 2 * kLineBytes) return;
    const Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) return;
    __builtin_prefetch(&part.entry(FreeSlot(part, BucketOf(print, part))), 1);
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
    if (!fits || (!slot.found && part.used >= Limit(part.buckets) &&
                  DeadIn(part, BucketOf(print, part), drop) == 0)) {
      Rebuild(part, drop, time);
      slot = Find(part, print);
      if (!Layout::Fits(time, part.base)) return Held::kDoesNotFit;
    }
    if (!slot.found) {
      slot.index = MakeRoom(part, BucketOf(print, part), slot.index, drop);
      ++part.used;
      ++keys_;
    }
    part.oldest = std::min(part.oldest, time);
    Layout::Put(print, time, &part.word(slot.index), &part.entry(slot.index));
    return Held::kAdded;
  }

  bool IsHeld(const Fingerprint& print, Micros floor) const {
    const Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) return false;
    const Slot slot = Find(part, print);
    return slot.found && TimeAt(part, slot.index) >= floor;
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
  static constexpr std::size_t kSlots = 8;  // of a bucket: a cache line
  static constexpr std::size_t kLineBytes = 64;
  static constexpr std::size_t kBucketBytes = kSlots * (sizeof(std::uint64_t) + sizeof(Entry));
  static constexpr Micros kBaseStep = std::int64_t{1} << 36;  // 19 hours

  struct Part {
    FlatMemory memory;
    std::size_t buckets = 0;
    std::size_t used = 0;
    Micros base = 0;            // see CompactLayout
    Micros oldest = INT64_MAX;  // no time is before it

    std::uint64_t* words(std::size_t bucket) const {
      return reinterpret_cast<std::uint64_t*>(memory.data() + kBucketBytes * bucket);
    }
    std::uint64_t& word(std::size_t slot) const { return words(slot / kSlots)[slot % kSlots]; }
    Entry& entry(std::size_t slot) const {
      return reinterpret_cast<Entry*>(words(slot / kSlots) + kSlots)[slot % kSlots];
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
    return Layout::TimeOf(part.word(index), part.entry(index), part.base);
  }

  // A bucket is filled from its first slot on, and a chain ends at the first bucket with room.
  static Slot Find(const Part& part, const Fingerprint& print) {
    for (std::size_t bucket = BucketOf(print, part);; bucket = Next(part, bucket)) {
      const std::uint64_t* words = part.words(bucket);
      for (std::uint32_t found = Layout::ScanFor(words, print); found != 0; found &= found - 1) {
        const std::size_t at = kSlots * bucket + static_cast<std::size_t>(std::countr_zero(found));
        if (Layout::Matches(part.entry(at), print)) return {at, true};
      }
      if (const std::uint32_t empty = ScanBucket<0>(words, 0); empty != 0) {
        return {kSlots * bucket + static_cast<std::size_t>(std::countr_zero(empty)), false};
      }
    }
  }
  // Bit i: slot i of the bucket holds in vain.
  static std::uint32_t DeadIn(const Part& part, std::size_t bucket, Micros floor) {
    std::uint32_t dead = 0;
    if (floor <= part.oldest) return dead;
    for (std::size_t i = 0; i < kSlots; ++i) {
      const bool held_before = TimeAt(part, kSlots * bucket + i) < floor;
      dead |= (held_before && part.words(bucket)[i] != 0 ? 1U : 0U) << i;
    }
    return dead;
  }
  // Where a new key of this bucket goes, `end` being the end of its chain. What the bucket holds in
  // vain is dropped; but where chains may go through it, which they do only where it is full, it
  // stays full.
  std::size_t MakeRoom(Part& part, std::size_t bucket, std::size_t end, Micros drop) {
    const std::uint32_t dead = DeadIn(part, bucket, drop);
    if (dead == 0) return end;
    const std::size_t first = kSlots * bucket;
    std::size_t dropped = 1;
    std::size_t to = static_cast<std::size_t>(std::countr_zero(dead));
    if (part.word(first + kSlots - 1) == 0) {
      dropped = static_cast<std::size_t>(std::popcount(dead));
      for (std::size_t i = to; i < kSlots; ++i) {
        if ((dead >> i & 1U) != 0) continue;
        part.word(first + to) = part.word(first + i);
        part.entry(first + to) = part.entry(first + i);
        if (part.word(first + i) == 0) break;
        ++to;
      }
      for (std::size_t i = to + 1; i < kSlots; ++i) part.word(first + i) = 0;
    }
    part.used -= dropped;
    keys_ -= dropped;
    return first + to;
  }
  static std::size_t FreeSlot(const Part& part, std::size_t bucket) {
    for (;; bucket = Next(part, bucket)) {
      const std::uint32_t empty = ScanBucket<0>(part.words(bucket), 0);
      if (empty != 0) return kSlots * bucket + static_cast<std::size_t>(std::countr_zero(empty));
    }
  }
  static std::size_t Next(const Part& part, std::size_t bucket) {
    return bucket + 1 == part.buckets ? 0 : bucket + 1;
  }

  template <typename Visitor>
  static void ForAlive(const Part& part, Micros floor, const Visitor& visit) {
    for (std::size_t at = 0; at < part.buckets * kSlots; ++at) {
      const std::uint64_t word = part.word(at);
      if (word == 0) continue;
      const Micros time = TimeAt(part, at);
      if (time >= floor) visit(word, part.entry(at), time);
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
    const std::size_t keys = std::max(Alive(part, floor), expected_);
    fresh.buckets = FingerprintBuckets(keys, Layout::kFull, IndexOf(part));
    fresh.memory = FlatMemory(fresh.buckets * kBucketBytes, arena_);
    ForAlive(part, floor, [&](std::uint64_t word, const Entry& entry, Micros held) {
      const Fingerprint print = Layout::PrintOf(word, entry, IndexOf(part));
      const std::size_t at = FreeSlot(fresh, BucketOf(print, fresh));
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
