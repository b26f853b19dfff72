#pragma once
// DataFile: what a table commit needs to know of one finished column file. Table formats turn it
// into their own entries; the epoch record keeps it as JSON (state/), so that anyone can apply it
// later.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/type.h"

namespace weir::connect {

/// One partition value of a file, after the transform. Text form and binary form are derived by the
/// formats; day and date are day numbers.
struct PartitionValue {
  std::optional<Int128> number;     // int, long, date, timestamp, decimal, boolean
  std::optional<std::string> text;  // string, binary, uuid
  bool is_null() const { return !number && !text; }
  bool operator==(const PartitionValue&) const = default;
  auto operator<=>(const PartitionValue&) const = default;
};
using PartitionTuple = std::vector<PartitionValue>;

/// Statistics of one leaf column by field id. Bounds in Iceberg's single-value binary form; absent
/// when there is no non-null, non-NaN value or when they must not be kept.
struct ColumnMetrics {
  std::int64_t compressed_bytes = 0;
  std::int64_t value_count = 0;  // nulls included
  std::int64_t null_count = 0;
  std::optional<std::int64_t> nan_count;  // float and double only
  std::optional<std::string> lower;
  std::optional<std::string> upper;
};

struct DataFile {
  std::string path;  // relative to the table location: data/event_time_day=2026-09-01/x.parquet
  int spec_id = 0;
  int sort_order_id = 0;
  PartitionTuple partition;  // one value a field of the spec
  std::int64_t record_count = 0;
  std::int64_t file_bytes = 0;
  std::map<int, ColumnMetrics> columns;     // by field id
  std::vector<std::int64_t> split_offsets;  // start of each row group
};

/// Rows by values of columns that the table is partitioned by as they are (identity), so that they
/// fill whole files.
struct RowsWhere {
  std::map<std::string, PartitionValue> columns;  // by column name
  bool operator==(const RowsWhere&) const = default;
};

}  // namespace weir::connect
