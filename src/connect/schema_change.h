#pragma once
// SchemaChange: how a table's columns may follow a contract. A plain value; who applies it assigns
// the ids. Nothing here takes anything away.

#include <span>
#include <string>
#include <vector>

#include "record/type.h"

namespace weir::connect {

/// A change of a table's columns after which every file and every reader of it is still right.
struct SchemaChange {
  /// An optional column, or a field of a struct. parent: names from the top, with "element", "key"
  /// and "value" through lists and maps; empty: a column. The table assigns the ids.
  struct Added {
    std::vector<std::string> parent;
    Field field;
  };
  /// int to long, float to double, a decimal of the same scale with more digits.
  struct Widened {
    std::vector<std::string> path;
    Type type;
  };
  std::vector<Added> added;
  std::vector<Widened> widened;
  bool empty() const { return added.empty() && widened.empty(); }
};
/// "device.os".
std::string PathText(std::span<const std::string> path);
/// "add `coupon` string, widen `quantity` to long".
std::string ToString(const SchemaChange& change);

}  // namespace weir::connect
