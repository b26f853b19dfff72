// The walk along a ShapeGraph for x86-64: SSE2, which every such processor has, and AVX2 where the
// processor says so at run time.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/shape_matcher.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace weir::codec {

namespace sse2 {
namespace {

constexpr std::ptrdiff_t kWidth = 16;

inline __m128i Load(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

inline unsigned EqualBytes(const char* a, const char* b) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(Load(a), Load(b))));
}

inline bool SameBlock(const char* a, const char* b) { return EqualBytes(a, b) == 0xFFFF; }

inline bool SameStart(const char* a, const char* b, std::size_t n) {
  return (~EqualBytes(a, b) & ((1U << n) - 1)) == 0;
}

inline std::uint64_t SpecialBytes(const char* p) {
  const __m128i block = Load(p);
  // As signed bytes, control characters and bytes >= 0x80 are both below the space.
  const __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                                    _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
                                       _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)));
  return static_cast<std::uint64_t>(_mm_movemask_epi8(special));
}

#include "codec/shape_walk.inc"

}  // namespace
}  // namespace sse2

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2")
#endif

namespace avx2 {
namespace {

constexpr std::ptrdiff_t kWidth = 32;

inline __m256i Load(const char* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

inline std::uint32_t EqualBytes(const char* a, const char* b) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(Load(a), Load(b))));
}

inline bool SameBlock(const char* a, const char* b) { return EqualBytes(a, b) == 0xFFFFFFFF; }

inline bool SameStart(const char* a, const char* b, std::size_t n) {
  return (~EqualBytes(a, b) & ((1U << n) - 1)) == 0;
}

inline std::uint64_t SpecialBytes(const char* p) {
  const __m256i block = Load(p);
  const __m256i special =
      _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(block, _mm256_set1_epi8('"')),
                                      _mm256_cmpeq_epi8(block, _mm256_set1_epi8('\\'))),
                      _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), block));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(special));
}

#include "codec/shape_walk.inc"  // NOLINT: once for each instruction set

}  // namespace
}  // namespace avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

std::vector<NamedMatchShape> AllMatchShapes() {
  std::vector<NamedMatchShape> all;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    all.push_back({"avx2", avx2::Match});
  }
  all.push_back({"sse2", sse2::Match});
  return all;
}

}  // namespace weir::codec

#else

namespace weir::codec {

// Elsewhere the strict reader does all the work.
std::vector<NamedMatchShape> AllMatchShapes() { return {}; }

}  // namespace weir::codec

#endif
