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
#include <vector>

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

  static constexpr std::size_t kBucketBytes = FingerprintPart<Layout>::kBucketBytes;
  static constexpr std::size_t kWordBytes = FingerprintPart<Layout>::kSlots * sizeof(std::uint64_t);
  /// The bucket where the search for a key begins; nullptr while its part is empty.
  const std::byte* BucketOf(const Fingerprint& print) const {
    const Part& part = parts_[print.low >> 56];
    return part.buckets == 0 ? nullptr : part.bucket(part.BucketOf(print));
  }
  /// Where it goes on: the bucket behind this one, or nullptr when this one has room.
  const std::byte* NextOf(const Fingerprint& print, const std::byte* bucket) const {
    const Part& part = parts_[print.low >> 56];
    if (!Part::IsFull(bucket)) return nullptr;
    const std::byte* const next = bucket + kBucketBytes;
    return next == part.bucket(part.buckets) ? part.bucket(0) : next;
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
    std::uint32_t dead = slot.found ? 0 : part.DeadIn(part.BucketOf(print), drop);
    if (!fits || (!slot.found && part.used >= part.limit() && dead == 0)) {
      MakeRoom(part, drop, time, fits);
      slot = part.Find(print);
      if (!Layout::Fits(time, part.base)) return Held::kDoesNotFit;
      dead = slot.found ? 0 : part.DeadIn(part.BucketOf(print), drop);
    }
    if (!slot.found) {
      keys_ -= part.used;
      slot.index = part.MakeRoom(part.BucketOf(print), slot.index, dead);
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
  std::size_t bytes() const { return bytes_ + taken_.capacity() + sizeof *this; }

 private:
  using Part = FingerprintPart<Layout>;
  static constexpr Micros kBaseStep = std::int64_t{1} << 36;  // 19 hours

  // Of what counts as full: where a purge leaves more, the next one would be too soon.
  static constexpr std::size_t kPurgedFull = 90;  // per cent

  // Where much holds in vain, dropping that in place is a fraction of the work of a copy, and takes
  // no memory.
  void MakeRoom(Part& part, Micros floor, Micros time, bool fits) {
    if (fits && floor > part.oldest) {
      keys_ -= part.used;
      part.Purge(IndexOf(part), floor);
      keys_ += part.used;
      if (part.used * 100 <= part.limit() * kPurgedFull) return;
    }
    Rebuild(part, floor, time);
  }

  // A fresh copy of what holds, with room for more. `time`: of the row that is to be put next.
  void Rebuild(Part& part, Micros floor, Micros time) {
    Part fresh;
    fresh.base = floor == kNoWatermark && part.buckets != 0 ? part.base
                 : floor == kNoWatermark                    ? Layout::FirstBase(time)
                                         : std::max(floor, part.buckets == 0 ? floor : part.base);
    const std::size_t keys = std::max(part.Alive(floor), expected_);
    fresh.buckets = FingerprintBuckets(keys, Layout::kFull, IndexOf(part));
    fresh.memory = FlatMemory(fresh.buckets * Part::kBucketBytes, arena_);
    // Counted beside, as words that were just written are slow to look at together.
    taken_.assign(fresh.buckets, 0);
    part.ForAlive(floor, [&](std::uint64_t word, const auto& entry, Micros held) {
      const Fingerprint print = Layout::PrintOf(word, entry, IndexOf(part));
      std::size_t bucket = fresh.BucketOf(print);
      while (taken_[bucket] == Part::kSlots) bucket = fresh.Next(bucket);
      const std::size_t at = Part::kSlots * bucket + taken_[bucket]++;
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
  std::vector<std::uint8_t> taken_;  // slots of each bucket, while a part is made anew
  std::size_t keys_ = 0;
  std::size_t bytes_ = 0;
  std::size_t expected_ = 0;  // keys of a part, while many come
};

}  // namespace weir::stream
