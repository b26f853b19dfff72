#pragma once
// FingerprintPart: one of the 256 open-addressing tables of a FingerprintTable, and how slots are
// found in it.
//
// A key is in its home bucket, or in one behind it. Each bucket that it had to pass is marked with
// one of 16 bits that its fingerprint chooses, so a search goes on only where that bit is set: as a
// rule it ends in its home. A slot may become empty at any time; marks go when the part is made
// anew. Not thread safe.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "stream/fingerprint_layout.h"
#include "stream/flat_memory.h"

namespace weir::stream {

template <typename Layout>
struct FingerprintPart {
  using Bucket = typename Layout::Bucket;
  static constexpr std::size_t kSlots = Layout::kSlots;

  FlatMemory memory;
  std::size_t buckets = 0;
  std::size_t used = 0;       // slots, also of what holds in vain
  std::size_t marks = 0;      // that were set since it was made
  Micros base = 0;            // see CompactLayout
  Micros oldest = INT64_MAX;  // no time is before it

  struct Slot {
    Bucket* bucket = nullptr;
    std::size_t index = 0;
    bool is_empty() const { return bucket->words[index] == 0; }
  };

  Bucket* begin() const { return reinterpret_cast<Bucket*>(memory.data()); }
  Bucket* end() const { return begin() + buckets; }
  std::size_t IndexOf(const Bucket* bucket) const {
    return static_cast<std::size_t>(bucket - begin());
  }
  std::size_t slots() const { return buckets * kSlots; }
  std::size_t limit() const { return slots() * Layout::kFull / 100; }

  // While nothing goes, that is the limit. Where much does, what holds in vain may take more slots
  // yet, as all but a few of those who come find one in their home.
  bool IsFull(Micros floor) const {
    constexpr std::size_t kChurnedFull = 95;  // per cent
    if (floor <= oldest) return used >= limit();
    return (used + 1) * 100 > slots() * kChurnedFull;
  }

  // Ascending with the fingerprint, whatever the number of buckets.
  Bucket* HomeOf(const Fingerprint& print) const {
    return begin() +
           static_cast<std::size_t>((static_cast<UInt128>(print.low << 8) * buckets) >> 64);
  }
  Bucket* Next(Bucket* bucket) const { return bucket + 1 == end() ? begin() : bucket + 1; }
  static std::uint16_t MarkOf(const Fingerprint& print) {
    return static_cast<std::uint16_t>(1U << (print.low & 15));
  }

  Micros TimeAt(const Slot& slot) const { return Layout::TimeOf(*slot.bucket, slot.index, base); }
  void Put(const Slot& slot, const Fingerprint& print, Micros time) const {
    Layout::Put(print, time, base, slot.bucket, slot.index);
  }

  // Empties a slot, if there is one. Returns how many that are.
  std::size_t Clear(const Slot& slot) {
    if (slot.bucket == nullptr) return 0;
    Layout::Clear(slot.bucket, slot.index);
    --used;
    return 1;
  }

  // Of 16 marks a bucket so many are set that too many searches go on.
  bool IsWorn() const { return marks > 4 * buckets; }
  static bool IsMarked(const Bucket& bucket, const Fingerprint& print) {
    return (bucket.marks & MarkOf(print)) != 0;
  }
  void Mark(Bucket* bucket, const Fingerprint& print) {
    marks += IsMarked(*bucket, print) ? 0 : 1;
    bucket->marks |= MarkOf(print);
  }
  // kSlots where it is not in this bucket.
  static std::size_t SlotOf(const Bucket& bucket, const Fingerprint& print) {
    std::uint32_t found = Layout::ScanFor(bucket, print);
    for (; found != 0; found &= found - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(found));
      if (Layout::Matches(bucket, slot, print)) return slot;
    }
    return kSlots;
  }
  // Where a key is; no bucket if nowhere.
  Slot Find(const Fingerprint& print) const {
    Bucket* bucket = HomeOf(print);
    for (std::size_t seen = 0; seen < buckets; ++seen, bucket = Next(bucket)) {
      const std::size_t slot = SlotOf(*bucket, print);
      if (slot != kSlots) return {bucket, slot};
      if (!IsMarked(*bucket, print)) break;
    }
    return {};
  }
  // The bucket behind this one, which has no slot for a key.
  Bucket* Pass(Bucket* bucket, const Fingerprint& print) {
    Mark(bucket, print);
    return Next(bucket);
  }
  // The first slot for a new key that is empty or holds since before the floor. Not all are taken.
  Slot Free(const Fingerprint& print, Micros floor) {
    Bucket* bucket = HomeOf(print);
    std::uint32_t free = Layout::Free(*bucket, floor, base);
    while (free == 0) {
      bucket = Pass(bucket, print);
      free = Layout::Free(*bucket, floor, base);
    }
    return {bucket, static_cast<std::size_t>(std::countr_zero(free))};
  }

  // Empties the slots that hold in vain.
  void Purge(Micros floor) {
    for (Bucket& bucket : *this) {
      for (std::size_t i = 0; i < kSlots; ++i) {
        if (bucket.words[i] == 0 || Layout::TimeOf(bucket, i, base) >= floor) continue;
        Layout::Clear(&bucket, i);
        --used;
      }
    }
    oldest = floor;
  }

  // This one is empty: takes what holds in another, which is that number of the table. `taken`:
  // slots of each bucket, counted beside, as words that were just written are slow to look at
  // together.
  void Fill(const FingerprintPart& from, Micros floor, std::size_t number,
            std::vector<std::uint8_t>* taken) {
    taken->assign(buckets, 0);
    from.ForAlive(floor, [&](const Bucket& bucket, std::size_t slot, Micros time) {
      const Fingerprint print = Layout::PrintOf(bucket, slot, number);
      Bucket* to = HomeOf(print);
      while ((*taken)[IndexOf(to)] == kSlots) to = Pass(to, print);
      Put({to, (*taken)[IndexOf(to)]++}, print, time);
      ++used;
      oldest = std::min(oldest, time);
    });
    marks = 0;
  }

  // visit(bucket, index, time) for all that holds at this floor, in the order of their homes but
  // for keys that had to go on.
  template <typename Visitor>
  void ForAlive(Micros floor, const Visitor& visit) const {
    for (const Bucket& bucket : *this) {
      for (std::size_t i = 0; i < kSlots; ++i) {
        if (bucket.words[i] == 0) continue;
        const Micros time = Layout::TimeOf(bucket, i, base);
        if (time >= floor) visit(bucket, i, time);
      }
    }
  }
  std::size_t Alive(Micros floor) const {
    if (floor <= oldest) return used;
    std::size_t alive = 0;
    ForAlive(floor, [&](const Bucket&, std::size_t, Micros) { ++alive; });
    return alive;
  }
};

}  // namespace weir::stream
