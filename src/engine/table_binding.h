#pragma once
// TableBinding: the columns that a pipeline produces, matched by name to the columns of a table
// that may be somebody else's. What does not fit is named column by column.

#include <string>

#include "base/result.h"
#include "connect/table.h"
#include "record/type.h"

namespace weir::engine {

/// The produced columns in their own order with the table's field ids and required flags: the
/// schema of the data files. kInvalidInput WEIR0402 listing every column that does not fit: missing
/// in the table, of another type, required in the table but optional here, or required in the table
/// and not produced at all.
Result<Schema> BindToTable(const Schema& produced, const connect::TableVersion& table,
                           const std::string& table_name);

}  // namespace weir::engine
