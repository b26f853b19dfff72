#pragma once
// BucketScan: looks at all slots of a bucket at once, with SSE2 where there is any. Bit i of an
// answer is that of slot i.

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weir::stream {

/// Words whose upper 64 - kIgnored bits are those of `sought`. kWords is even, the words are
/// aligned to 16 bytes.
template <int kIgnored, std::size_t kWords>
[[gnu::always_inline]] inline std::uint32_t ScanWords(const std::uint64_t* words,
                                                      std::uint64_t sought) {
  static_assert(kWords % 2 == 0);
  std::uint32_t found = 0;
#if defined(__SSE2__)
  const __m128i pattern = _mm_set1_epi64x(static_cast<long long>(sought));
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kWords; i += 2) {
    __m128i here = _mm_load_si128(reinterpret_cast<const __m128i*>(words + i));
    if constexpr (kIgnored == 0) {
      here = _mm_cmpeq_epi32(here, pattern);
    } else {
      here = _mm_cmpeq_epi32(_mm_srli_epi64(_mm_xor_si128(here, pattern), kIgnored),
                             _mm_setzero_si128());
    }
    const __m128i both = _mm_and_si128(here, _mm_shuffle_epi32(here, 0xB1));
    found |= static_cast<std::uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(both))) << i;
  }
#else
  for (std::size_t i = 0; i < kWords; ++i) {
    found |= (((words[i] ^ sought) >> kIgnored) == 0 ? 1U : 0U) << i;
  }
#endif
  return found;
}

/// Numbers below `bound`.
template <std::size_t kNumbers>
[[gnu::always_inline]] inline std::uint32_t ScanLess(const std::uint32_t* numbers,
                                                     std::uint32_t bound) {
  std::uint32_t found = 0;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kNumbers; ++i) {
    found |= static_cast<std::uint32_t>(numbers[i] < bound) << i;
  }
  return found;
}

}  // namespace weir::stream
