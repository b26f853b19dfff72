#pragma once
// Field ids that stand for names.
//
// Where a table knows its columns by name and not by id (Delta without column mapping), their ids
// are made of the path of names and lie in a range of their own. Readers of files find such columns
// by name, whatever ids a file has: another engine's, or those of another format that shares it.

#include <cstdint>

namespace weir::connect {

inline constexpr int kFirstNamedId = 1 << 30;

constexpr bool IsNamedId(int id) { return id >= kFirstNamedId; }

/// An id from any bits of a hash.
constexpr int NamedId(std::uint32_t bits) {
  return kFirstNamedId + static_cast<int>(bits % static_cast<std::uint32_t>(kFirstNamedId));
}

}  // namespace weir::connect
