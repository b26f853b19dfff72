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
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "stream/fingerprint_part.h"

namespace weir::stream {

/// Buckets for so many keys in a part: the least of the part's own sequence of sizes that lets it
/// grow for a while until `full` keys a bucket are there.
std::size_t FingerprintBuckets(std::size_t keys, double full, std::size_t part);

enum class Held : std::uint8_t { kHeld, kAdded, kDoesNotFit };

template <typename Layout>
class FingerprintTable {
 public:
  static constexpr std::size_t kParts = 256;

  using Bucket = typename Layout::Bucket;

  /// Where the search for a key begins; nullptr while its part is empty.
  Bucket* HomeOf(const Fingerprint& print) const {
    const Part& part = parts_[print.low >> 56];
    return part.buckets == 0 ? nullptr : part.HomeOf(print);
  }
  /// The bucket behind it.
  Bucket* NextOf(const Fingerprint& print, Bucket* bucket) const {
    return parts_[print.low >> 56].Next(bucket);
  }
  /// What Hold does where the home of the key settles it. Nothing where it does not: then Hold has
  /// to be asked, and from here on until then other rows with this key are not settled either.
  /// Never moves a bucket.
  [[gnu::always_inline]] std::optional<Held> HoldAtHome(const Fingerprint& print, Bucket* home,
                                                        Micros time, Micros floor, Micros drop) {
    Part& part = parts_[print.low >> 56];
    if (home == nullptr) return std::nullopt;
    if (const std::size_t at = Part::SlotOf(*home, print); at != Part::kSlots) {
      if (part.TimeAt({home, at}) >= floor) return Held::kHeld;
    } else if (const std::uint32_t free = Layout::Free(*home, drop, part.base); free != 0) {
      const typename Part::Slot slot{home, static_cast<std::size_t>(std::countr_zero(free))};
      if (!Part::IsMarked(*home, print) && Layout::Fits(time, part.base) &&
          !(slot.is_empty() && part.IsFull(drop))) {
        Put(part, slot, print, time);
        return Held::kAdded;
      }
    }
    part.Mark(home, print);
    return std::nullopt;
  }

  /// Whether it is held by a row with time >= floor; if not, `time` holds it from now on, or, where
  /// that does not fit, nothing does. What holds since before `drop` may be forgotten.
  Held Hold(const Fingerprint& print, Micros time, Micros floor, Micros drop) {
    Part& part = parts_[print.low >> 56];
    if (part.buckets == 0) Rebuild(part, drop, time);
    auto slot = part.Find(print);
    if (slot.bucket != nullptr && part.TimeAt(slot) >= floor) return Held::kHeld;
    if (!Layout::Fits(time, part.base)) {
      // A rebuild is worth while only when the base can move far.
      if (drop >= kNoWatermark + kBaseStep && drop - kBaseStep >= part.base) {
        Rebuild(part, drop, time);
        slot = part.Find(print);
      }
      if (!Layout::Fits(time, part.base)) {
        keys_ -= part.Clear(slot);
        return Held::kDoesNotFit;
      }
    }
    if (slot.bucket == nullptr) {
      slot = part.Free(print, drop);
      if ((slot.is_empty() && part.IsFull(drop)) || part.IsWorn()) {
        MakeRoom(part, drop, time);
        slot = part.Free(print, drop);
      }
    }
    Put(part, slot, print, time);
    return Held::kAdded;
  }

  bool IsHeld(const Fingerprint& print, Micros floor) const {
    const Part& part = parts_[print.low >> 56];
    const auto slot = part.Find(print);
    return slot.bucket != nullptr && part.TimeAt(slot) >= floor;
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
      seen += part.slots();
      const std::size_t alive = part.Alive(floor);
      const std::size_t dead = part.used - alive;
      if (dead == 0 || dead * share < part.used) continue;
      const bool shrinks = BucketsFor(alive, i) * 4 < part.buckets * 3;
      if (shrinks) {
        Rebuild(part, floor, floor);
      } else {
        Purge(part, floor);
      }
    }
    return seen;
  }

  /// visit(print, time) for all that hold at this floor.
  template <typename Visitor>
  void Visit(Micros floor, const Visitor& visit) const {
    for (std::size_t i = 0; i < kParts; ++i) {
      parts_[i].ForAlive(floor, [&](const auto& bucket, std::size_t slot, Micros time) {
        visit(Layout::PrintOf(bucket, slot, i), time);
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

  void Put(Part& part, const typename Part::Slot& slot, const Fingerprint& print, Micros time) {
    const std::size_t more = slot.is_empty() ? 1 : 0;
    part.used += more;
    keys_ += more;
    part.oldest = std::min(part.oldest, time);
    part.Put(slot, print, time);
  }
  static std::size_t BucketsFor(std::size_t keys, std::size_t part) {
    return FingerprintBuckets(keys, Part::kSlots * Layout::kFull / 100.0, part);
  }

  void Purge(Part& part, Micros floor) {
    keys_ -= part.used;
    part.Purge(floor);
    keys_ += part.used;
  }
  // Where much holds in vain, dropping that in place is a fraction of the work of a copy, and takes
  // no memory.
  void MakeRoom(Part& part, Micros floor, Micros time) {
    if (floor > part.oldest && !part.IsWorn()) {
      Purge(part, floor);
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
    fresh.buckets = BucketsFor(keys, IndexOf(part));
    fresh.memory = FlatMemory(fresh.buckets * sizeof(typename Part::Bucket), arena_);
    fresh.Fill(part, floor, IndexOf(part), &taken_);
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
