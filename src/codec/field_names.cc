#include "codec/field_names.h"

#include <utility>

namespace weir::codec {

FieldNames::FieldNames(std::vector<std::string> names) : names_(std::move(names)) {
  std::size_t size = 8;
  while (size < names_.size() * 4) size *= 2;
  slots_.assign(size, -1);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].empty()) continue;
    std::size_t at = SlotOf(names_[i]);
    while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::int32_t>(i);
  }
}

int FieldNames::Find(std::string_view name) const {
  if (name.empty() || slots_.empty()) return -1;
  std::size_t at = SlotOf(name);
  while (slots_[at] >= 0) {
    if (names_[static_cast<std::size_t>(slots_[at])] == name) return slots_[at];
    at = (at + 1) & (slots_.size() - 1);
  }
  return -1;
}

// Length and three characters tell the keys of an event apart; the names are the contract's, so no
// sender can choose them.
std::size_t FieldNames::SlotOf(std::string_view name) const {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i]));
  };
  const std::size_t n = name.size();
  const std::uint32_t mixed = byte(0) | (byte(n / 2) << 8) | (byte(n - 1) << 16) |
                              (static_cast<std::uint32_t>(n & 0xFF) << 24);
  return ((mixed * 0x9E3779B1U) >> 16) & (slots_.size() - 1);
}

}  // namespace weir::codec
