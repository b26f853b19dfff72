#pragma once
// NewTable: the first metadata of a table that Weir makes.

#include <string>

#include "base/result.h"
#include "connect/table.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

/// Metadata without snapshots: ids given as iceberg-java gives them, our defaults for a table of
/// many small commits under the properties that the definition leaves open. Errors: kInvalidInput
/// or kUnsupported WEIR0403, naming the column or field.
Result<std::string> NewTableMetadata(const connect::TableDefinition& definition,
                                     const std::string& location, std::int64_t now_ms);

}  // namespace weir::iceberg
