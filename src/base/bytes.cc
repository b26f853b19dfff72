#include "base/bytes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include <openssl/evp.h>
#include <zlib.h>

#include "base/check.h"

namespace weir {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint8_t ByteAt(std::string_view bytes, std::size_t index) {
  return static_cast<std::uint8_t>(bytes[index]);
}

// Value of a digit, or 0xff.
constexpr auto kHexValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(0xff);
  for (std::uint8_t i = 0; i < 16; ++i) {
    values[static_cast<std::uint8_t>(kHexDigits[i])] = i;
    if (i >= 10) values[static_cast<std::uint8_t>('A' + i - 10)] = i;
  }
  return values;
}();

constexpr auto kBase64Values = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(0xff);
  for (std::uint8_t i = 0; i < 64; ++i) {
    values[static_cast<std::uint8_t>(kBase64Digits[i])] = i;
  }
  return values;
}();

bool IsContinuation(std::uint8_t byte) { return (byte & 0xc0) == 0x80; }

// Length of the valid UTF-8 sequence at `at`, or 0.
std::size_t SequenceLength(std::string_view bytes, std::size_t at) {
  const std::uint8_t first = ByteAt(bytes, at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() - at < length) return 0;
  // The second byte's range excludes overlong forms, surrogates and what is above U+10FFFF.
  const std::uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const std::uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  const std::uint8_t second = ByteAt(bytes, at + 1);
  if (second < low || second > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!IsContinuation(ByteAt(bytes, at + i))) return 0;
  }
  return length;
}

// Whether a terminal could act on a valid sequence instead of showing it: control characters, line
// and paragraph separators, and marks that change the direction of the text around them.
bool ActsOnTerminal(std::string_view sequence) {
  const std::uint8_t first = ByteAt(sequence, 0);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  const std::uint8_t second = ByteAt(sequence, 1);
  if (sequence.size() == 2) return first == 0xc2 && second < 0xa0;
  const std::uint8_t third = ByteAt(sequence, 2);
  return sequence.size() == 3 && first == 0xe2 &&
         ((second == 0x80 && third >= 0xa8 && third <= 0xae) ||
          (second == 0x81 && third >= 0xa6 && third <= 0xa9));
}

}  // namespace

std::string HexEncode(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += kHexDigits[ByteAt(bytes, i) >> 4];
    text += kHexDigits[ByteAt(bytes, i) & 0xf];
  }
  return text;
}

std::optional<std::string> HexDecode(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const std::uint8_t high = kHexValues[ByteAt(hex, i)];
    const std::uint8_t low = kHexValues[ByteAt(hex, i + 1)];
    if (high == 0xff || low == 0xff) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::string Base64Encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = static_cast<std::uint32_t>(ByteAt(bytes, i)) << 16;
    if (taken > 1) group |= static_cast<std::uint32_t>(ByteAt(bytes, i + 1)) << 8;
    if (taken > 2) group |= ByteAt(bytes, i + 2);
    text += kBase64Digits[group >> 18];
    text += kBase64Digits[group >> 12 & 63];
    text += taken > 1 ? kBase64Digits[group >> 6 & 63] : '=';
    text += taken > 2 ? kBase64Digits[group & 63] : '=';
  }
  return text;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t group = 0;
  std::size_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t value = kBase64Values[ByteAt(text, i)];
    if (value == 0xff) return std::nullopt;
    group = group << 6 | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(group >> bits & 0xff);
    }
  }
  // Left-over bits must be zero, else two texts would stand for the same bytes.
  if ((group & ((1U << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::string Sha256Hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  WEIR_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) ==
             1);
  return HexEncode({reinterpret_cast<const char*>(digest.data()), size});
}

std::uint32_t Crc32(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

bool IsValidUtf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    // Eight plain characters at a time, which is nearly all text there is.
    std::uint64_t word = 0;
    while (bytes.size() - at >= sizeof word) {
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if ((word & 0x8080808080808080U) != 0) break;
      at += sizeof word;
    }
    if (at == bytes.size()) break;
    const std::size_t length = SequenceLength(bytes, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string Printable(std::string_view bytes, std::size_t max_bytes) {
  std::string line;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = std::max<std::size_t>(1, SequenceLength(bytes, at));
    const std::string_view sequence = bytes.substr(at, length);
    const bool shown = SequenceLength(bytes, at) > 0 && !ActsOnTerminal(sequence);
    if (line.size() + (shown ? length : 4 * length) > max_bytes) return line + "...";
    if (shown) {
      line += sequence;
    } else {
      for (std::size_t i = 0; i < length; ++i) line += "\\x" + HexEncode(sequence.substr(i, 1));
    }
    at += length;
  }
  return line;
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Rows of the distance matrix: the one before the previous is kept for swaps.
  std::vector<std::size_t> older(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], older[j - 2] + 1);
      }
    }
    older.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

}  // namespace weir
