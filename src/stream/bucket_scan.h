#pragma once
// BucketScan: looks at all slots of a bucket at once, with SSE2 where there is any. Bit i of an
// answer is that of slot i.

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weir::stream {

#if defined(__SSE2__)

namespace bucket_scan {

// Of twelve lanes, each all ones or zero, a bit each.
[[gnu::always_inline]] inline std::uint32_t Bits(__m128i first, __m128i second, __m128i third) {
  const __m128i halves =
      _mm_packs_epi16(_mm_packs_epi32(first, second), _mm_packs_epi32(third, third));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(halves));
}

// One half of each of four words: the lower ones, or the upper.
template <bool kUpper>
[[gnu::always_inline]] inline __m128i Halves(const std::uint64_t* first,
                                             const std::uint64_t* second) {
  const auto load = [](const std::uint64_t* words) {
    return _mm_castsi128_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(words)));
  };
  return _mm_castps_si128(_mm_shuffle_ps(load(first), load(second), kUpper ? 0xDD : 0x88));
}

}  // namespace bucket_scan

/// Words that may be the one sought: at least those of which one half is, the lower or the upper.
/// 6 or 10 words, aligned to 16 bytes.
template <bool kUpper, std::size_t kWords>
[[gnu::always_inline]] inline std::uint32_t ScanWords(const std::uint64_t* words,
                                                      std::uint64_t sought) {
  static_assert(kWords == 6 || kWords == 10);
  using bucket_scan::Halves;
  const __m128i half = _mm_set1_epi32(static_cast<std::int32_t>(kUpper ? sought >> 32 : sought));
  const __m128i first = _mm_cmpeq_epi32(Halves<kUpper>(words, words + 2), half);
  const std::uint64_t* const last = words + kWords - 2;
  const __m128i rest = _mm_cmpeq_epi32(Halves<kUpper>(last, last), half);
  std::uint32_t found = 0;
  if constexpr (kWords == 6) {
    found = bucket_scan::Bits(first, rest, rest);
  } else {
    const __m128i second = _mm_cmpeq_epi32(Halves<kUpper>(words + 4, words + 6), half);
    found = bucket_scan::Bits(first, second, rest);
  }
  return found & ((1U << kWords) - 1);
}

/// Of ten numbers, aligned to 16 bytes, those below `bound`.
[[gnu::always_inline]] inline std::uint32_t ScanLess(const std::uint32_t* numbers,
                                                     std::uint32_t bound) {
  const __m128i flip = _mm_set1_epi32(INT32_MIN);  // there is only a comparison with sign
  const __m128i most = _mm_xor_si128(_mm_set1_epi32(static_cast<std::int32_t>(bound)), flip);
  const auto* const at = reinterpret_cast<const __m128i*>(numbers);
  const auto less = [&](__m128i some) { return _mm_cmplt_epi32(_mm_xor_si128(some, flip), most); };
  return bucket_scan::Bits(less(_mm_load_si128(at)), less(_mm_load_si128(at + 1)),
                           less(_mm_loadl_epi64(at + 2))) &
         0x3FF;
}

#else

template <bool kUpper, std::size_t kWords>
inline std::uint32_t ScanWords(const std::uint64_t* words, std::uint64_t sought) {
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint64_t apart = words[i] ^ sought;
    found |= static_cast<std::uint32_t>((kUpper ? apart >> 32 : apart << 32) == 0) << i;
  }
  return found;
}

inline std::uint32_t ScanLess(const std::uint32_t* numbers, std::uint32_t bound) {
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    found |= static_cast<std::uint32_t>(numbers[i] < bound) << i;
  }
  return found;
}

#endif

}  // namespace weir::stream
