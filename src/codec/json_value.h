#pragma once
// JsonValue: a value as it stands inside a record, found but not yet converted. A view: it lives as
// long as the record's bytes.

#include <cstdint>
#include <string_view>

namespace weir::codec {

enum class JsonKind : std::uint8_t { kNull, kTrue, kFalse, kNumber, kString, kObject, kArray };

struct JsonValue {
  std::string_view text;  // a string without its quotes; anything else as it is spelled
  JsonKind kind = JsonKind::kNull;
  bool escaped = false;  // a string that holds backslashes
};

struct JsonMember {
  JsonValue key;  // a string
  JsonValue value;
};

}  // namespace weir::codec
