#pragma once
// The folder of a partition, as people and old tools know it: "event_time_day=2026-09-01/kind=buy".
// Cosmetic: readers take partition values from the table's metadata, never from the path. Every
// value gives a safe folder name. Pure functions.

#include <string>
#include <string_view>

#include "connect/data_file.h"
#include "connect/table.h"
#include "record/type.h"

namespace weir::connect {

/// "name=value" a field, joined by "/"; empty for an unpartitioned table. Names and values are
/// URL-encoded, and shortened where a file system would not take them.
std::string PartitionPath(const Schema& schema, const PartitionSpec& spec,
                          const PartitionTuple& partition);

/// The text of one value: "2026-09-01", "2026-09-01-10" (hour), "12.30", "null".
std::string PartitionText(const Type& source, Transform transform, const PartitionValue& value);

/// The field of a schema with this id, at any depth; nullptr when there is none.
const Field* FindField(const std::vector<Field>& fields, int id);

}  // namespace weir::connect
