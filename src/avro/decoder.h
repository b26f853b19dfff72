#pragma once
// Decoder: reads values in Avro's binary form from bytes that others wrote.
//
// Errors are sticky: after the first one every call returns a zero or an empty text and failed() is
// true, so that a caller reads a whole record and asks once. Nothing is read beyond the bytes; no
// count or length is believed that the rest could not hold. Views live as long as the bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "avro/schema.h"

namespace weir::avro {

class Decoder {
 public:
  explicit Decoder(std::string_view bytes)
      : rest_(bytes), work_left_(kLeastWork + 16 * static_cast<std::int64_t>(bytes.size())) {}

  bool Boolean();
  /// Any int or long. A value of type int that is out of its range is not an error here.
  std::int64_t Long();
  float Float();
  double Double();
  /// `bytes` and `string`.
  std::string_view Bytes();
  std::string_view Fixed(std::size_t size);

  /// A value of the writer's type `type`, which may be optional; nullopt for a null. Any other type
  /// than asked for is an error.
  std::optional<bool> BooleanOf(const Node& type);
  std::optional<std::int64_t> LongOf(const Node& type);
  std::optional<std::int32_t> IntOf(const Node& type);
  std::optional<std::string> BytesOf(const Node& type);  // string, bytes and fixed

  /// The branch that a union's value is of. For a type that is no union: the type itself.
  const Node& Resolve(const Node& type);
  /// Steps over one value.
  void Skip(const Node& type) { Skip(type, 0); }

  /// Calls `item` for each item of an array; of a map, `item` must read the key first.
  template <typename Function>
  void ForEachItem(Function&& item) {
    for (std::int64_t left = BlockCount(); left > 0 && !failed_; left = BlockCount()) {
      for (; left > 0 && Work(); --left) item();
    }
  }

  /// The caller met something that it cannot accept.
  void Fail() {
    failed_ = true;
    rest_ = {};
  }
  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }

 private:
  // A schema can describe endless work that takes no bytes. Counts a step; false when it failed.
  bool Work() {
    if (--work_left_ < 0) Fail();
    return !failed_;
  }
  std::int64_t BlockCount();
  void Skip(const Node& type, int depth);

  static constexpr std::int64_t kLeastWork = 1 << 16;
  std::string_view rest_;
  std::int64_t work_left_;
  bool failed_ = false;
};

}  // namespace weir::avro
