#pragma once
// Encoder: appends values in Avro's binary form to a string that it owns. It knows no schema: the
// caller writes the fields of a record in the order of its schema. Not thread safe; cannot fail.

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::avro {

class Encoder {
 public:
  void Boolean(bool value) { bytes_ += value ? '\1' : '\0'; }
  void Int(std::int32_t value) { Long(value); }
  /// Zigzag, then seven bits a byte, low ones first.
  void Long(std::int64_t value) {
    auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    while (rest >= 0x80) {
      bytes_ += static_cast<char>(rest | 0x80);
      rest >>= 7;
    }
    bytes_ += static_cast<char>(rest);
  }
  void Float(float value);
  void Double(double value);
  /// `bytes` and `string`: the length, then the bytes.
  void Bytes(std::string_view value) {
    Long(static_cast<std::int64_t>(value.size()));
    bytes_ += value;
  }
  void Fixed(std::string_view value) { bytes_ += value; }

  /// The index of the branch that the next value belongs to.
  void Branch(int index) { Long(index); }
  /// The usual optional, ["null", T]: a null, or the branch of a value that follows.
  void Null() { Branch(0); }
  void Present() { Branch(1); }

  /// Begins an array or map of `count` items as one block; EndItems() closes it.
  void BeginItems(std::size_t count) {
    if (count != 0) Long(static_cast<std::int64_t>(count));
  }
  void EndItems() { Long(0); }

  /// Bytes that were encoded before.
  void Raw(std::string_view encoded) { bytes_ += encoded; }

  std::size_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

}  // namespace weir::avro
