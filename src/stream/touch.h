#pragma once
// Touch: brings memory into the cache, some dozens of places one right after the other.
//
// It loads and does not prefetch: a core waits for the page walk of each prefetch before it goes
// on, while loads that nobody waits for overlap, walks and all. With other work between them they
// would overlap less, so they are made in blocks.

#include <cstddef>
#include <span>

namespace weir::stream {

/// All lines of these, which begin at a line; nullptr is passed over.
template <typename T>
[[gnu::always_inline]] inline void Touch(std::span<T* const> places) {
  constexpr std::size_t kLine = 64;
  static_assert(alignof(T) % kLine == 0);
  for (const T* place : places) {
    if (place == nullptr) continue;
    const auto* const from = reinterpret_cast<const volatile std::byte*>(place);
    for (std::size_t i = 0; i < sizeof(T); i += kLine) static_cast<void>(from[i]);
  }
}

}  // namespace weir::stream
