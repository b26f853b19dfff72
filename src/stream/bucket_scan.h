#pragma once
// BucketScan: looks at the eight words of a cache line at once, with SSE2 where there is any. Bit i
// of an answer is that of word i.

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weir::stream {

/// Words whose upper 64 - kIgnored bits are those of `sought`.
template <int kIgnored>
[[gnu::always_inline]] inline std::uint32_t ScanBucket(const std::uint64_t* words,
                                                       std::uint64_t sought) {
#if defined(__SSE2__)
  const __m128i pattern = _mm_set1_epi64x(static_cast<long long>(sought));
  const auto halves = [&](int pair) {
    const __m128i here = _mm_load_si128(reinterpret_cast<const __m128i*>(words) + pair);
    if constexpr (kIgnored == 0) return _mm_cmpeq_epi32(here, pattern);
    return _mm_cmpeq_epi32(_mm_srli_epi64(_mm_xor_si128(here, pattern), kIgnored),
                           _mm_setzero_si128());
  };
  // Of four words: whether the lower half is equal, and the upper half.
  const auto both = [](__m128i a, __m128i b) {
    const __m128 low = _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0x88);
    const __m128 high = _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0xDD);
    return _mm_castps_si128(_mm_and_ps(low, high));
  };
  const __m128i equal = _mm_packs_epi32(both(halves(0), halves(1)), both(halves(2), halves(3)));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(equal, _mm_setzero_si128())));
#else
  std::uint32_t found = 0;
  for (int i = 0; i < 8; ++i) {
    found |= (((words[i] ^ sought) >> kIgnored) == 0 ? 1U : 0U) << i;
  }
  return found;
#endif
}

}  // namespace weir::stream
