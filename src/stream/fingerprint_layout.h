#pragma once
// ExactLayout and CompactLayout: how a FingerprintTable keeps fingerprints and times in a bucket.
//
// A bucket is two cache lines that lie together. A slot is a word, which is looked at first, its
// time, and what else there is of the fingerprint. A word of 0 is an empty slot; its time is 0 too,
// which is before all others, so that whoever looks for a slot that holds in vain finds the empty
// ones as well. The upper 8 bits of `low` choose the part of the table.
//   exact     6 slots, 112 bits of a fingerprint: word = lower 56 bits of low and 8 of high, the
//             rest of 40 bits apart. Times are kept whole.
//   compact  10 slots, 64 bits of a fingerprint: word = lower 56 bits of low and the lower 8 of the
//             time, whose other 32 are apart. Times are counted from the base of the part, for 2^40
//             us (12.7 days).

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "stream/bucket_scan.h"
#include "stream/fingerprint.h"

namespace weir::stream {

struct ExactLayout {
  static constexpr bool kCompact = false;
  static constexpr std::size_t kSlots = 6;
  static constexpr std::size_t kFull = 67;  // per cent, from 54: 35.7 bytes a key on the mean
  static constexpr std::uint64_t kHighKept = (std::uint64_t{1} << 48) - 1;

  struct alignas(128) Bucket {
    std::uint64_t words[kSlots];
    std::uint64_t times[kSlots];
    std::uint32_t middles[kSlots];
    std::uint8_t tops[kSlots];
    std::uint16_t marks;  // see FingerprintPart
  };

  // What counts of a fingerprint.
  static Fingerprint Kept(const Fingerprint& print) { return {print.low, print.high & kHighKept}; }
  static bool Fits(Micros /*time*/, Micros /*base*/) { return true; }
  static Micros FirstBase(Micros time) { return time; }

  static std::uint64_t WordOf(const Fingerprint& print) {
    return (print.low << 8) | (print.high & 0xFF);
  }
  static std::uint32_t ScanFor(const Bucket& bucket, const Fingerprint& print) {
    return ScanWords<false, kSlots>(bucket.words, WordOf(print));
  }
  static bool Matches(const Bucket& bucket, std::size_t slot, const Fingerprint& print) {
    return bucket.words[slot] == WordOf(print) && PrintOf(bucket, slot, 0).high == print.high;
  }
  // Bit i: slot i is empty, or holds since before the floor.
  static std::uint32_t Free(const Bucket& bucket, Micros floor, Micros /*base*/) {
    const std::uint64_t least = std::max<std::uint64_t>(CodeOf(floor), 1);
    std::uint32_t free = 0;
#pragma GCC unroll 6
    for (std::size_t i = kSlots; i-- > 0;) {
      free += free + (bucket.times[i] < least ? 1 : 0);  // an addition with carry
    }
    return free;
  }
  static void Put(const Fingerprint& print, Micros time, Micros /*base*/, Bucket* bucket,
                  std::size_t slot) {
    bucket->words[slot] = WordOf(print);
    bucket->times[slot] = std::max<std::uint64_t>(CodeOf(time), 1);
    bucket->middles[slot] = static_cast<std::uint32_t>(print.high >> 8);
    bucket->tops[slot] = static_cast<std::uint8_t>(print.high >> 40);
  }
  static void Clear(Bucket* bucket, std::size_t slot) {
    bucket->words[slot] = 0;
    bucket->times[slot] = 0;
  }
  static Micros TimeOf(const Bucket& bucket, std::size_t slot, Micros /*base*/) {
    return static_cast<Micros>(bucket.times[slot] ^ kLeast);
  }
  static Fingerprint PrintOf(const Bucket& bucket, std::size_t slot, std::size_t part) {
    const std::uint64_t word = bucket.words[slot];
    return {(static_cast<std::uint64_t>(part) << 56) | (word >> 8),
            (word & 0xFF) | (static_cast<std::uint64_t>(bucket.middles[slot]) << 8) |
                (static_cast<std::uint64_t>(bucket.tops[slot]) << 40)};
  }

 private:
  static constexpr std::uint64_t kLeast = std::uint64_t{1} << 63;
  // Ascending with the time.
  static std::uint64_t CodeOf(Micros time) { return static_cast<std::uint64_t>(time) ^ kLeast; }
};

struct CompactLayout {
  static constexpr bool kCompact = true;
  static constexpr std::size_t kSlots = 10;
  static constexpr std::size_t kFull = 90;  // per cent, from 72: 16.0 bytes a key on the mean

  struct alignas(128) Bucket {
    std::uint64_t words[kSlots];
    alignas(16) std::uint32_t times[kSlots];  // without their lower 8 bits, which are in the words
    std::uint16_t marks;
  };

  static Fingerprint Kept(const Fingerprint& print) { return {print.low, 0}; }
  static bool Fits(Micros time, Micros base) { return time >= base && Since(time, base) < kSpan; }
  static Micros FirstBase(Micros time) {
    return static_cast<Micros>(static_cast<std::uint64_t>(time) - kSpan / 2);
  }

  static std::uint32_t ScanFor(const Bucket& bucket, const Fingerprint& print) {
    return ScanWords<true, kSlots>(bucket.words, print.low << 8);
  }
  static bool Matches(const Bucket& bucket, std::size_t slot, const Fingerprint& print) {
    return ((bucket.words[slot] ^ (print.low << 8)) >> 8) == 0;
  }
  // A slot of the last 256 us before the floor may be missing.
  static std::uint32_t Free(const Bucket& bucket, Micros floor, Micros base) {
    const std::uint64_t code =
        floor <= base ? kFirst : std::min(Since(floor, base), kSpan - 1) + kFirst;
    return ScanLess(bucket.times, static_cast<std::uint32_t>(code >> 8));
  }
  static void Put(const Fingerprint& print, Micros time, Micros base, Bucket* bucket,
                  std::size_t slot) {
    const std::uint64_t code = Since(time, base) + kFirst;
    bucket->words[slot] = (print.low << 8) | (code & 0xFF);
    bucket->times[slot] = static_cast<std::uint32_t>(code >> 8);
  }
  static void Clear(Bucket* bucket, std::size_t slot) {
    bucket->words[slot] = 0;
    bucket->times[slot] = 0;
  }
  static Micros TimeOf(const Bucket& bucket, std::size_t slot, Micros base) {
    const std::uint64_t code =
        (static_cast<std::uint64_t>(bucket.times[slot]) << 8) | (bucket.words[slot] & 0xFF);
    return static_cast<Micros>(static_cast<std::uint64_t>(base) + (code - kFirst));
  }
  static Fingerprint PrintOf(const Bucket& bucket, std::size_t slot, std::size_t part) {
    return {(static_cast<std::uint64_t>(part) << 56) | (bucket.words[slot] >> 8), 0};
  }

 private:
  static constexpr std::uint64_t kFirst = 256;  // a time at the base: not before all others
  static constexpr std::uint64_t kSpan = (std::uint64_t{1} << 40) - kFirst;
  // Differences are taken without sign, so that no time is too far away for them.
  static std::uint64_t Since(Micros time, Micros base) {
    return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(base);
  }
};

static_assert(sizeof(ExactLayout::Bucket) == 128 && sizeof(CompactLayout::Bucket) == 128);

}  // namespace weir::stream
