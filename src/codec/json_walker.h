#pragma once
// JsonWalker: goes through the members or items of a nested value that JsonScanner has checked.

#include "codec/json_value.h"

namespace weir::codec {

class JsonWalker {
 public:
  /// An object or array.
  explicit JsonWalker(const JsonValue& container);

  /// The next member of an object; false at its end.
  bool NextMember(JsonMember* member);

  /// The next item of an array; false at its end.
  bool NextItem(JsonValue* item);

 private:
  bool AtNext();

  const char* p_;
  const char* end_;  // the closing bracket
};

}  // namespace weir::codec
