#pragma once
// WireWriter and WireReader: the byte form of state: varints, zigzag, fixed 64 bits little endian,
// and texts with their length.
//
// A reader never reads past its end: the first wrong read makes it not ok(), and from then on every
// read gives zero or empty. Callers look at ok() once at the end and bound what they reserve by
// remaining(). Not thread safe.

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

class WireWriter {
 public:
  void Byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void Varint(std::uint64_t value);
  void Zigzag(std::int64_t value);
  void Fixed64(std::uint64_t value);
  void Text(std::string_view text);  // length and bytes
  void Raw(std::string_view bytes) { bytes_.append(bytes); }

  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t Byte();
  std::uint64_t Varint();
  std::int64_t Zigzag();
  std::uint64_t Fixed64();
  std::string_view Text();  // views live as long as the bytes
  std::string_view Raw(std::size_t size);

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  std::size_t remaining() const { return rest_.size(); }
  /// For values that parse but make no sense.
  void Fail();

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace weir
