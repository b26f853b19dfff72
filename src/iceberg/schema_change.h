#pragma once
// SchemaChange: the columns of a table change in its document, where types that Weir does not know
// and texts of other writers stay as they are. Field ids only grow: a file that was written once
// never finds its column's id under another name.

#include <cstdint>

#include "base/json_document.h"
#include "base/result.h"
#include "connect/table.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

/// Whether the table as a whole can follow. kUnsupported WEIR0403: a partition column cannot be
/// widened, since its old values stand in manifests and paths in the old type.
Status CheckSchemaChange(const TableMetadata& metadata, const connect::SchemaChange& change);

/// Applies the change to one schema. highest_field: of all schemas that the table ever had; moves
/// with the ids that are given. kInvalidInput WEIR0402: a name is taken, a place is not there, a
/// type is no widening.
Status ChangeSchemaJson(const connect::SchemaChange& change, Json& schema,
                        std::int64_t& highest_field);

/// The highest id at any depth of a schema.
std::int64_t HighestFieldId(const Json& schema);

}  // namespace weir::iceberg
