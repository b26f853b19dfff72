#pragma once
// Layout: what a version of a table's metadata says about columns and partitions, worked out once.
//
// `schema` is what data files hold. Columns that Weir derives for partitions stand in the table's
// own schema only: a table property `weir.partition.<column>` says from what ("day(event_time)").
// Immutable once made.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "connect/table.h"
#include "delta/action.h"
#include "delta/partition_value.h"
#include "record/type.h"

namespace weir::delta {

/// Prefix of the table properties that say what a partition column is made of.
inline constexpr const char* kPartitionProperty = "weir.partition.";

/// A leaf column whose statistics go into the log.
struct StatsColumn {
  int id = 0;
  std::vector<std::string> path;  // names, from the top
  Type type;
};

struct Layout {
  Schema schema;
  std::vector<std::string> left_out;
  std::map<std::string, std::string> demands;  // as ReadSchema
  connect::PartitionSpec spec;
  std::vector<PartitionColumn> partitions;  // one a field of the spec
  std::vector<StatsColumn> stats;

  /// The tuple of a file's partition values, in the order of the spec.
  connect::PartitionTuple TupleOf(const TextMap& values) const;
  /// The partition values of a tuple; tuples of another spec are the caller's bug.
  TextMap ValuesOf(const connect::PartitionTuple& tuple) const;
};

/// kCorrupt WEIR0405, kUnsupported WEIR0403.
Result<std::shared_ptr<const Layout>> LayoutOf(const Metadata& metadata);

}  // namespace weir::delta
