#pragma once
// FingerprintPart: one of the 256 open-addressing tables of a FingerprintTable, and how slots are
// found in it.
//
// Buckets have eight words, a cache line, and the entries of these words right behind them: what is
// looked at and what is written lie together, so a key costs two misses, whose lines are next to
// each other as a rule. A bucket is filled from its first slot on, and a chain ends at the first
// bucket with room. Not thread safe.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "stream/fingerprint_layout.h"
#include "stream/flat_memory.h"

namespace weir::stream {

template <typename Layout>
struct FingerprintPart {
  using Entry = typename Layout::Entry;
  static constexpr std::size_t kSlots = 8;  // of a bucket
  static constexpr std::size_t kBucketBytes = kSlots * (sizeof(std::uint64_t) + sizeof(Entry));

  FlatMemory memory;
  std::size_t buckets = 0;
  std::size_t used = 0;
  Micros base = 0;            // see CompactLayout
  Micros oldest = INT64_MAX;  // no time is before it

  struct Slot {
    std::size_t index = 0;
    bool found = false;  // else where it would go
  };

  std::byte* bucket(std::size_t index) const { return memory.data() + kBucketBytes * index; }
  std::uint64_t* words(std::size_t index) const {
    return reinterpret_cast<std::uint64_t*>(bucket(index));
  }
  static bool IsFull(const std::byte* bucket) {
    return reinterpret_cast<const std::uint64_t*>(bucket)[kSlots - 1] != 0;
  }
  std::uint64_t& word(std::size_t slot) const { return words(slot / kSlots)[slot % kSlots]; }
  Entry& entry(std::size_t slot) const {
    return reinterpret_cast<Entry*>(words(slot / kSlots) + kSlots)[slot % kSlots];
  }
  Micros TimeAt(std::size_t slot) const { return Layout::TimeOf(word(slot), entry(slot), base); }
  std::size_t limit() const { return buckets * kSlots * Layout::kFull / 100; }

  // Ascending with the fingerprint, whatever the number of buckets.
  std::size_t BucketOf(const Fingerprint& print) const {
    return static_cast<std::size_t>((static_cast<UInt128>(print.low << 8) * buckets) >> 64);
  }
  std::size_t Next(std::size_t bucket) const { return bucket + 1 == buckets ? 0 : bucket + 1; }

  Slot Find(const Fingerprint& print) const {
    for (std::size_t bucket = BucketOf(print);; bucket = Next(bucket)) {
      for (std::uint32_t found = Layout::ScanFor(words(bucket), print); found != 0;
           found &= found - 1) {
        const std::size_t at = kSlots * bucket + static_cast<std::size_t>(std::countr_zero(found));
        if (Layout::Matches(entry(at), print)) return {at, true};
      }
      if (const std::uint32_t empty = ScanBucket<0>(words(bucket), 0); empty != 0) {
        return {kSlots * bucket + static_cast<std::size_t>(std::countr_zero(empty)), false};
      }
    }
  }
  // Of the chain that begins there.
  std::size_t FreeSlot(std::size_t bucket) const {
    for (;; bucket = Next(bucket)) {
      const std::uint32_t empty = ScanBucket<0>(words(bucket), 0);
      if (empty != 0) return kSlots * bucket + static_cast<std::size_t>(std::countr_zero(empty));
    }
  }

  // Bit i: slot i of the bucket holds in vain. Without branches, as nobody can tell which are
  // taken.
  std::uint32_t DeadIn(std::size_t bucket, Micros floor) const {
    if (floor <= oldest) return 0;
    const std::uint64_t* const from = words(bucket);
    const auto* const entries = reinterpret_cast<const Entry*>(from + kSlots);
    std::uint32_t dead = 0;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kSlots; ++i) {
      const bool held_before = Layout::TimeOf(from[i], entries[i], base) < floor;
      dead |= static_cast<std::uint32_t>(held_before) << i;
    }
    return dead & ~ScanBucket<0>(from, 0);
  }
  // Where a new key of this bucket goes, `end` being the end of its chain and `dead` what the
  // bucket holds in vain. It takes the place of one, and the others are dropped; but where chains
  // may go through the bucket, which they do only where it is full, it stays full.
  std::size_t MakeRoom(std::size_t bucket, std::size_t end, std::uint32_t dead) {
    if (dead == 0) return end;
    const std::size_t first = kSlots * bucket;
    if ((dead & (dead - 1)) == 0 || word(first + kSlots - 1) != 0) {
      --used;
      return first + static_cast<std::size_t>(std::countr_zero(dead));
    }
    return first + Drop(bucket, dead);
  }
  // Drops these slots of a bucket, and gives the first empty one.
  std::size_t Drop(std::size_t bucket, std::uint32_t dead) {
    const std::size_t first = kSlots * bucket;
    auto to = static_cast<std::size_t>(std::countr_zero(dead));
    for (std::size_t i = to; i < kSlots && word(first + i) != 0; ++i) {
      if ((dead >> i & 1U) != 0) continue;
      word(first + to) = word(first + i);
      entry(first + to) = entry(first + i);
      ++to;
    }
    std::fill(words(bucket) + to, words(bucket) + kSlots, std::uint64_t{0});
    used -= static_cast<std::size_t>(std::popcount(dead));
    return to;
  }
  // Puts the keys of a bucket but the dead ones where their chains have room by now, which is here
  // or before. `part`: number of this one.
  void PlaceAnew(std::size_t bucket, std::uint32_t dead, std::size_t part) {
    std::array<std::uint64_t, kSlots> words_here;
    std::array<Entry, kSlots> entries_here;
    std::copy_n(words(bucket), kSlots, words_here.begin());
    std::copy_n(&entry(kSlots * bucket), kSlots, entries_here.begin());
    std::fill_n(words(bucket), kSlots, std::uint64_t{0});
    for (std::size_t i = 0; i < kSlots && words_here[i] != 0; ++i) {
      if ((dead >> i & 1U) != 0) continue;
      const std::size_t at =
          FreeSlot(BucketOf(Layout::PrintOf(words_here[i], entries_here[i], part)));
      word(at) = words_here[i];
      entry(at) = entries_here[i];
    }
    used -= static_cast<std::size_t>(std::popcount(dead));
  }
  // Drops all that is held in vain. Chains go through full buckets only, so a bucket behind one
  // with room holds none but its own keys; the keys of others move up into what became free.
  void Purge(std::size_t part, Micros floor) {
    bool chained = IsFull(bucket(buckets - 1));
    bool freed = chained;
    for (std::size_t i = 0; i < buckets; ++i) {
      const bool full = IsFull(bucket(i));
      const std::uint32_t dead = DeadIn(i, floor);
      freed = (chained && freed) || dead != 0;
      if (chained && freed) {
        PlaceAnew(i, dead, part);
      } else if (dead != 0) {
        Drop(i, dead);
      }
      chained = full;
    }
    // What came to the first buckets by way of the last may have room there now.
    for (std::size_t i = 0; i < buckets; ++i) {
      const bool full = IsFull(bucket(i));
      PlaceAnew(i, 0, part);
      if (!full) break;
    }
    oldest = floor;
  }

  template <typename Visitor>
  void ForAlive(Micros floor, const Visitor& visit) const {
    for (std::size_t at = 0; at < buckets * kSlots; ++at) {
      if (word(at) == 0) continue;
      const Micros time = TimeAt(at);
      if (time >= floor) visit(word(at), entry(at), time);
    }
  }
  std::size_t Alive(Micros floor) const {
    if (floor <= oldest) return used;
    std::size_t alive = 0;
    ForAlive(floor, [&](std::uint64_t, const Entry&, Micros) { ++alive; });
    return alive;
  }
};

}  // namespace weir::stream
