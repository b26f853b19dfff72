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
  std::uint32_t found = 0;
#if defined(__SSE2__)
  const __m128i pattern = _mm_set1_epi64x(static_cast<long long>(sought));
  for (int i = 0; i < 4; ++i) {
    const __m128i pair =
        _mm_load_si128(reinterpret_cast<const __m128i*>(words + std::ptrdiff_t{2} * i));
    const __m128i differ = _mm_srli_epi64(_mm_xor_si128(pair, pattern), kIgnored);
    const __m128i halves = _mm_cmpeq_epi32(differ, _mm_setzero_si128());
    const __m128i both = _mm_and_si128(halves, _mm_shuffle_epi32(halves, _MM_SHUFFLE(2, 3, 0, 1)));
    found |= static_cast<std::uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(both))) << (2 * i);
  }
#else
  for (int i = 0; i < 8; ++i) {
    found |= (((words[i] ^ sought) >> kIgnored) == 0 ? 1U : 0U) << i;
  }
#endif
  return found;
}

}  // namespace weir::stream
