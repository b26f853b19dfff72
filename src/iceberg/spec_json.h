#pragma once
// Partition specs and sort orders in table metadata.

#include "base/json_document.h"
#include "base/result.h"
#include "connect/table.h"

namespace weir::iceberg {

/// kCorrupt; kUnsupported WEIR0403 naming a transform that Weir does not know.
Result<connect::PartitionSpec> SpecFromJson(const Json& json);
Json SpecToJson(const connect::PartitionSpec& spec);
/// The fields alone: a manifest's header holds only these.
Json SpecFieldsToJson(const connect::PartitionSpec& spec);

/// An order that Weir cannot keep (unknown transform) comes back as unsorted: sorting is a service
/// to readers, never needed for right results. kCorrupt.
Result<connect::SortOrder> SortOrderFromJson(const Json& json);
Json SortOrderToJson(const connect::SortOrder& order);

}  // namespace weir::iceberg
