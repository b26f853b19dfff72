#pragma once
// RowBlock: the values of up to 64 records, found but not converted, field by field. What the shape
// matcher and the strict reader fill and BlockDecoder converts. Views into the records, or into the
// block's own arena where a string had escapes.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json_text.h"
#include "codec/json_value.h"

namespace weir::codec {

class RowBlock {
 public:
  static constexpr std::size_t kRows = 64;

  struct Values {
    std::uint64_t present = 0;      // bit i: row i has a value that is not null
    std::uint64_t text = 0;         // bit i: that value is a string
    std::string_view texts[kRows];  // strings unescaped, other values as they are spelled
    JsonKind kinds[kRows] = {};     // of values that are no strings
  };

  explicit RowBlock(std::size_t fields) : fields_(fields) {}

  Values& field(std::size_t index) { return fields_[index]; }
  std::size_t fields() const { return fields_.size(); }

  void SetText(std::size_t field, std::size_t row, std::string_view text) {
    Values& values = fields_[field];
    values.texts[row] = text;
    values.present |= std::uint64_t{1} << row;
    values.text |= std::uint64_t{1} << row;
  }
  void SetOther(std::size_t field, std::size_t row, std::string_view text, JsonKind kind) {
    Values& values = fields_[field];
    values.texts[row] = text;
    values.kinds[row] = kind;
    values.present |= std::uint64_t{1} << row;
  }
  void Set(std::size_t field, std::size_t row, const JsonValue& value) {
    if (value.kind == JsonKind::kString) {
      SetText(field, row, value.escaped ? Unescaped(value.text) : value.text);
    } else if (value.kind != JsonKind::kNull) {
      SetOther(field, row, value.text, value.kind);
    }
  }
  std::string_view Unescaped(std::string_view text) {
    arena_.emplace_back();
    Unescape(text, &arena_.back());
    return arena_.back();
  }

  void ClearRow(std::size_t row) {
    for (Values& values : fields_) {
      values.present &= ~(std::uint64_t{1} << row);
      values.text &= ~(std::uint64_t{1} << row);
    }
  }
  void Clear() {
    for (Values& values : fields_) values.present = values.text = 0;
    arena_.clear();
  }

 private:
  std::vector<Values> fields_;
  std::deque<std::string> arena_;  // does not move what it holds
};

}  // namespace weir::codec
