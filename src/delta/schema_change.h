#pragma once
// SchemaChange: the columns of a table change in the text of its schema, where columns and marks
// that Weir does not know stay as they are. New columns are nullable, so files that lack them are
// whole: readers go by name and find a null.
//
// Nothing is widened: a Delta table without the feature typeWidening promises that all of its files
// have the types of its schema, and readers rely on it. Pure, but for the attempt's random id.

#include <cstdint>

#include "base/result.h"
#include "connect/schema_change.h"
#include "delta/action.h"
#include "delta/head.h"

namespace weir::delta {

/// The next version: the table's metadata with the columns. kUnsupported WEIR0403 for a widening,
/// a type or a name that the table cannot have; kInvalidInput WEIR0402 where a name is taken or a
/// place is not there.
Result<LogCommit> ChangeColumns(const Head& head, const connect::SchemaChange& change,
                                std::int64_t now_ms);

}  // namespace weir::delta
