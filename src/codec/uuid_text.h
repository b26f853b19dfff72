#pragma once
// Uuids as text: 8-4-4-4-12 hex digits in either case, no braces, no urn.

#include <array>
#include <cstdint>
#include <string_view>

namespace weir::codec {

using Uuid = std::array<std::uint8_t, 16>;

bool ParseUuid(std::string_view text, Uuid* out);

}  // namespace weir::codec
