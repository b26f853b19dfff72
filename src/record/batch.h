#pragma once
// Batch: rows that parsed, as columns, with the record that each came from.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/time.h"
#include "record/column.h"
#include "record/type.h"

namespace weir {

/// Columns of equal length. The decoder fills one, operators filter it, table writers take rows.
struct Batch {
  std::shared_ptr<const Schema> schema;
  std::vector<Column> columns;         // one a field of the schema
  std::vector<std::uint32_t> records;  // row -> index in the LogBatch it came from, ascending

  explicit Batch(std::shared_ptr<const Schema> batch_schema);
  std::size_t rows() const { return records.size(); }
  std::size_t memory_bytes() const;
  void Clear();
};

}  // namespace weir
