#pragma once
// Leaves: what Parquet calls columns. A schema is a tree, a file holds its leaves; this is the way
// from one to the other, with the definition and repetition levels that keep nulls and lists.
// Plain values and pure functions.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/buffer.h"
#include "record/column.h"
#include "record/type.h"

namespace weir::parquet {

/// One leaf of a schema: how to get there from the columns of a row group.
struct LeafPath {
  struct Step {
    std::size_t child = 0;  // index among the parent's fields; the first step's among the columns
    TypeKind kind = TypeKind::kString;
    bool optional = false;
  };
  std::vector<Step> steps;
  Type type;
  int field_id = 0;
  std::string name;  // "props.items.element.price"
  std::int16_t max_definition = 0;
  std::int16_t max_repetition = 0;
};

/// All leaves, depth first: the order of a file's columns. Errors: kInvalidInput for a field
/// without an id or a struct without fields.
Result<std::vector<LeafPath>> LeavesOf(const Schema& schema);

/// The content of one leaf of a row group. Entries are what levels count: the rows of a flat
/// column; below a list its items, and one for each empty or null list.
struct LeafData {
  const Column* column = nullptr;
  std::size_t entries = 0;
  std::size_t values = 0;            // entries that hold a value
  Buffer<std::uint32_t> value_rows;  // row in `column` of each value; empty: value i is row i
  Buffer<std::uint8_t> definitions;  // empty for a flat column: its validity says it
  Buffer<std::uint8_t> repetitions;  // empty when nothing repeats

  std::uint32_t row_of(std::size_t value) const {
    return value_rows.empty() ? static_cast<std::uint32_t>(value) : value_rows[value];
  }
  void Clear();
};

/// Fills `data` from the top-level columns. Errors: kInvalidInput for a null where the schema
/// requires a value.
Status ReadLeaf(const LeafPath& path, const Column& top, std::size_t rows, LeafData& data);

}  // namespace weir::parquet
