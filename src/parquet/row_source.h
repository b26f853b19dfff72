#pragma once
// RowSource: one column that rows are partitioned or sorted by, at the top or inside structs.
// A view of columns that must outlive it. For the inside of this folder.

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "record/column.h"
#include "record/type.h"

namespace weir::parquet {

/// The way to a field: index of the column, then of the struct fields.
using FieldPath = std::vector<std::size_t>;

/// The path to the field with this id, not through lists or maps; nullopt when there is none.
std::optional<FieldPath> PathTo(const Schema& schema, int field_id);
/// The type at the end of a path.
const Type& TypeAt(const Schema& schema, const FieldPath& path);

class RowSource {
 public:
  RowSource(std::span<const Column> columns, const FieldPath& path);

  const Column& column() const { return *levels_.back(); }
  /// Null itself, or inside a null struct.
  bool IsNull(std::size_t row) const {
    return std::ranges::any_of(levels_, [row](const Column* level) { return level->IsNull(row); });
  }

 private:
  std::vector<const Column*> levels_;
};

}  // namespace weir::parquet
