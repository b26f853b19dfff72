#pragma once
// ExactLayout and CompactLayout: how a FingerprintTable keeps a fingerprint and a time in a slot.
//
// A slot is a word, which is looked at first, and an entry beside it. A word of 0 is an empty slot.
// The upper 8 bits of `low` choose the part of the table.
//   exact    24 bytes: word = low, entry = high and the time
//   compact  12 bytes: word = lower 56 bits of low, and bits 32-39 of the time; entry = bits 0-31.
//            The part that holds it gives the other 8 bits of the fingerprint, so 64 count. Times
//            are kept modulo 2^40 us (12.7 days) and read as the one in [base, base + 2^40).

#include <cstdint>

#include "base/time.h"
#include "stream/bucket_scan.h"
#include "stream/fingerprint.h"

namespace weir::stream {

struct ExactLayout {
  struct Entry {
    std::uint64_t high;
    Micros time;
  };
  static constexpr bool kCompact = false;
  static constexpr std::size_t kFull = 80;  // per cent, from 59: 35 bytes a key on the mean

  static bool Fits(Micros /*time*/, Micros /*base*/) { return true; }
  static Micros FirstBase(Micros time) { return time; }
  static std::uint32_t ScanFor(const std::uint64_t* words, const Fingerprint& print) {
    return ScanBucket<0>(words, print.low);
  }
  static bool Matches(const Entry& entry, const Fingerprint& print) {
    return entry.high == print.high;
  }
  static void Put(const Fingerprint& print, Micros time, std::uint64_t* word, Entry* entry) {
    *word = print.low;
    *entry = {print.high, time};
  }
  static Micros TimeOf(std::uint64_t /*word*/, const Entry& entry, Micros /*base*/) {
    return entry.time;
  }
  static Fingerprint PrintOf(std::uint64_t word, const Entry& entry, std::size_t /*part*/) {
    return {word, entry.high};
  }
};

struct CompactLayout {
  using Entry = std::uint32_t;
  static constexpr bool kCompact = true;
  static constexpr std::size_t kFull = 88;  // per cent, from 65: 15.9 bytes a key on the mean
  static constexpr std::uint64_t kSpan = std::uint64_t{1} << 40;

  // Differences are taken without sign, so that no time is too far away for them.
  static std::uint64_t Since(Micros time, Micros base) {
    return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(base);
  }
  static bool Fits(Micros time, Micros base) { return time >= base && Since(time, base) < kSpan; }
  static Micros FirstBase(Micros time) {
    return static_cast<Micros>(static_cast<std::uint64_t>(time) - kSpan / 2);
  }
  static std::uint32_t ScanFor(const std::uint64_t* words, const Fingerprint& print) {
    return ScanBucket<8>(words, print.low << 8);
  }
  static bool Matches(const Entry& /*entry*/, const Fingerprint& /*print*/) { return true; }
  static void Put(const Fingerprint& print, Micros time, std::uint64_t* word, Entry* entry) {
    const auto bits = static_cast<std::uint64_t>(time);
    *word = (print.low << 8) | ((bits >> 32) & 0xFF);
    *entry = static_cast<Entry>(bits);
  }
  static Micros TimeOf(std::uint64_t word, const Entry& entry, Micros base) {
    const std::uint64_t bits = ((word & 0xFF) << 32) | entry;
    const auto from = static_cast<std::uint64_t>(base);
    return static_cast<Micros>(from + ((bits - from) & (kSpan - 1)));
  }
  static Fingerprint PrintOf(std::uint64_t word, const Entry& /*entry*/, std::size_t part) {
    return {(static_cast<std::uint64_t>(part) << 56) | (word >> 8), 0};
  }
};

}  // namespace weir::stream
