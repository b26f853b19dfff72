#include "codec/uuid_text.h"

#include <cstddef>

namespace weir::codec {

namespace {

// 0 to 15, or 0x80 and more for what is no hex digit.
unsigned HexValue(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const auto lower = static_cast<unsigned char>(c | 0x20);
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10U;
  return 0x80;
}

}  // namespace

bool ParseUuid(std::string_view text, Uuid* out) {
  if (text.size() != 36) return false;
  std::size_t at = 0;
  for (std::size_t i = 0; i < out->size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      if (text[at++] != '-') return false;
    }
    const unsigned high = HexValue(text[at]);
    const unsigned low = HexValue(text[at + 1]);
    if ((high | low) > 15) return false;
    (*out)[i] = static_cast<std::uint8_t>((high << 4) | low);
    at += 2;
  }
  return true;
}

}  // namespace weir::codec
