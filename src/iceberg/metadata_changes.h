#pragma once
// MetadataChanges: the step from one version of a table's metadata to the next, as a REST catalog
// takes it: what must be true of the table, and what becomes of it. Pure.

#include "base/json_document.h"
#include "base/result.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

/// {"requirements": [...], "updates": [...]}. Required are the table's identity and the old place
/// of every reference that moves, so that what others did to `main` in between is a conflict, and
/// what they did beside it (a property, a column) stays. kInternal for changes that are not among
/// those that Weir makes: snapshots, references, properties and schemas.
Result<Json> ChangesBetween(const TableMetadata& base, const TableMetadata& next);

/// The request that makes a table of this first version. Its location and all ids are the server's
/// to choose.
Result<Json> CreationOf(const TableMetadata& first, const std::string& name);

}  // namespace weir::iceberg
