#pragma once
// JsonText: a reused buffer that a shape writes one event into. Appending is a copy and nothing
// more: the capacity is far above the longest event, which debug builds check. One owner.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/check.h"

namespace weir::generate {

class JsonText {
 public:
  void Clear() { size_ = 0; }
  std::string_view view() const { return {bytes_.data(), size_}; }

  /// A text known when compiled: the copy is a few moves.
  template <std::size_t N>
  void Literal(const char (&text)[N]) {
    Append(text, N - 1);
  }
  void Text(std::string_view text) { Append(text.data(), text.size()); }
  void Char(char c) { bytes_[size_++] = c; }

  /// Decimal with leading zeros up to a width.
  void Padded(std::uint64_t value, int width) {
    std::array<char, 20> digits;
    std::size_t at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + value % 10);
      value /= 10;
      --width;
    } while (value != 0 || width > 0);
    Append(digits.data() + at, digits.size() - at);
  }
  void Number(std::uint64_t value) { Padded(value, 1); }

  /// The lowest 4 * width bits as hex.
  void Hex(std::uint64_t value, int width) {
    for (int digit = width - 1; digit >= 0; --digit) {
      Char("0123456789abcdef"[(value >> (4 * digit)) & 0xf]);
    }
  }

 private:
  void Append(const char* text, std::size_t size) {
    WEIR_DCHECK(size_ + size <= bytes_.size());
    std::memcpy(bytes_.data() + size_, text, size);
    size_ += size;
  }

  std::size_t size_ = 0;
  std::array<char, 8192> bytes_;
};

}  // namespace weir::generate
