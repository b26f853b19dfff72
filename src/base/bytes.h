#pragma once
// Text forms of bytes and little helpers that several folders share.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

std::string HexEncode(std::string_view bytes);
std::optional<std::string> HexDecode(std::string_view hex);
std::string Base64Encode(std::string_view bytes);
std::optional<std::string> Base64Decode(std::string_view text);

/// Lower-case hex SHA-256.
std::string Sha256Hex(std::string_view bytes);

/// CRC-32 (IEEE), as zlib and Iceberg's deletion vectors compute it.
std::uint32_t Crc32(std::string_view bytes);

/// Whether the bytes are valid UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
bool IsValidUtf8(std::string_view bytes);

/// One printable line: control characters and invalid UTF-8 as \xNN, cut at max_bytes with "...".
/// Data that came from outside goes to logs and terminals only through here.
std::string Printable(std::string_view bytes, std::size_t max_bytes = 200);

/// Edit distance with swaps, for "did you mean".
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace weir
