#include "base/wire.h"

#include <array>
#include <bit>
#include <cstring>

namespace weir {

static_assert(std::endian::native == std::endian::little);

void WireWriter::Varint(std::uint64_t value) {
  while (value >= 0x80) {
    Byte(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  Byte(static_cast<std::uint8_t>(value));
}

void WireWriter::Zigzag(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  Varint((bits << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void WireWriter::Fixed64(std::uint64_t value) {
  std::array<char, 8> bytes;
  std::memcpy(bytes.data(), &value, bytes.size());
  bytes_.append(bytes.data(), bytes.size());
}

void WireWriter::Text(std::string_view text) {
  Varint(text.size());
  Raw(text);
}

void WireReader::Fail() {
  ok_ = false;
  rest_ = {};
}

std::uint8_t WireReader::Byte() {
  const std::string_view byte = Raw(1);
  return byte.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(byte[0]);
}

std::uint64_t WireReader::Varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = Byte();
    if (!ok_) return 0;
    if (shift == 63 && byte > 1) break;
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  Fail();
  return 0;
}

std::int64_t WireReader::Zigzag() {
  const std::uint64_t bits = Varint();
  return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

std::uint64_t WireReader::Fixed64() {
  const std::string_view bytes = Raw(8);
  std::uint64_t value = 0;
  if (bytes.size() == 8) std::memcpy(&value, bytes.data(), 8);
  return value;
}

std::string_view WireReader::Text() {
  const std::uint64_t size = Varint();
  if (size > rest_.size()) {
    Fail();
    return {};
  }
  return Raw(size);
}

std::string_view WireReader::Raw(std::size_t size) {
  if (size > rest_.size()) {
    Fail();
    return {};
  }
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

}  // namespace weir
