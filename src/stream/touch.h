#pragma once
// Touch: brings memory into the cache, some dozens of places one right after the other.
//
// It loads and does not prefetch: a core waits for the page walk of each prefetch before it goes
// on, while loads that nobody waits for overlap, walks and all. With other work between them they
// would overlap less, so they are made in blocks.

#include <cstddef>

namespace weir::stream {

/// Each line of [at, at + bytes), which is not empty.
[[gnu::always_inline]] inline void Touch(const void* at, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const auto* const from = static_cast<const volatile std::byte*>(at);
  for (std::size_t i = 0; i < bytes; i += kLine) static_cast<void>(from[i]);
  static_cast<void>(from[bytes - 1]);
}

}  // namespace weir::stream
