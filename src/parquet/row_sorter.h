#pragma once
// RowSorter: the order of rows under a table's sort order.
//
// Every sort field becomes one number a row, ranks for strings, so that the sort itself compares
// numbers only. Stable. One thread.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "connect/table.h"
#include "parquet/row_source.h"
#include "record/column.h"
#include "record/type.h"

namespace weir::parquet {

class RowSorter {
 public:
  /// `schema`: of the columns that will be sorted. A field that they lack sorts nothing.
  /// Errors: kUnsupported WEIR0403 for a transform that its column does not allow.
  static Result<RowSorter> Create(const connect::SortOrder& order, const Schema& schema);

  bool sorts() const { return !keys_.empty(); }
  /// Puts these rows in order. True: they were in order already.
  bool Sort(std::span<const Column> columns, std::vector<std::uint32_t>& rows) const;

 private:
  struct Key {
    connect::SortField field;
    FieldPath path;
  };
  explicit RowSorter(std::vector<Key> keys) : keys_(std::move(keys)) {}

  std::vector<Key> keys_;
};

}  // namespace weir::parquet
