#pragma once
// CHECK states an invariant of ours and stays on in release builds; a false one ends the process,
// which is always safe (docs/ARCHITECTURE.md: kill -9 changes nothing). DCHECK is for hot loops and
// is compiled out with NDEBUG. For the outside world use Result.

namespace weir::internal {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line) noexcept;
}

#define WEIR_CHECK(condition) \
  ((condition) ? (void)0 : ::weir::internal::CheckFailed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define WEIR_DCHECK(condition) ((void)sizeof(!(condition)))
#else
#define WEIR_DCHECK(condition) WEIR_CHECK(condition)
#endif
