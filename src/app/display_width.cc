#include "app/display_width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace weir::app {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

constexpr auto kCombining = std::to_array<Range>({{0x0300, 0x036F},
                                                  {0x200B, 0x200F},
                                                  {0x20D0, 0x20FF},
                                                  {0xFE00, 0xFE0F},
                                                  {0xFE20, 0xFE2F},
                                                  {0xE0100, 0xE01EF}});
constexpr auto kWide = std::to_array<Range>({{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0x33FF},
                                             {0x3400, 0x4DBF},
                                             {0x4E00, 0x9FFF},
                                             {0xA000, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE4F},
                                             {0xFF00, 0xFF60},
                                             {0xFFE0, 0xFFE6},
                                             {0x1F300, 0x1F64F},
                                             {0x1F680, 0x1F6FF},
                                             {0x1F900, 0x1FAFF},
                                             {0x20000, 0x3FFFD}});

template <std::size_t N>
bool Within(const std::array<Range, N>& ranges, std::uint32_t character) {
  return std::ranges::any_of(ranges, [character](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

// The character that starts at `at`, which moves behind it.
std::uint32_t NextCharacter(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at++);
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  std::uint32_t character = more == 0 ? lead : lead & (0x3FU >> more);
  for (int i = 0; i < more && at < text.size() && (byte(at) & 0xC0) == 0x80; ++i) {
    character = character << 6 | (byte(at++) & 0x3FU);
  }
  return character;
}

int WidthOf(std::uint32_t character) {
  if (Within(kCombining, character)) return 0;
  return Within(kWide, character) ? 2 : 1;
}

}  // namespace

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) width += WidthOf(NextCharacter(text, at));
  return width;
}

std::string CutToWidth(std::string_view text, int width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  int taken = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); end = at) {
    taken += WidthOf(NextCharacter(text, at));
    if (taken > width - 1) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace weir::app
