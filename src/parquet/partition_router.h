#pragma once
// PartitionRouter: sorts out which rows belong to which partition of a table.
//
// Values are told apart once, not row by row: a dictionary's strings by code, times by the day or
// hour of the row before. One thread.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "connect/data_file.h"
#include "connect/table.h"
#include "parquet/row_source.h"
#include "record/column.h"
#include "record/type.h"

namespace weir::parquet {

struct PartitionRows {
  connect::PartitionTuple partition;
  std::vector<std::uint32_t> rows;  // ascending
};

class PartitionRouter {
 public:
  /// `schema`: of the columns that will be routed. A source field that they lack counts as null.
  /// Errors: kUnsupported WEIR0403 for a transform that its column does not allow.
  static Result<PartitionRouter> Create(const connect::PartitionSpec& spec, const Schema& schema);

  /// All rows, grouped, in the order of the partition values.
  std::vector<PartitionRows> Route(std::span<const Column> columns, std::size_t rows) const;

 private:
  struct Key {
    connect::PartitionField field;
    std::optional<FieldPath> path;
  };
  explicit PartitionRouter(std::vector<Key> keys) : keys_(std::move(keys)) {}

  std::vector<Key> keys_;
};

}  // namespace weir::parquet
