#pragma once
// NewTable: the first commit of a table that Weir makes. Pure, but for the table's fresh id.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "connect/table.h"
#include "delta/action.h"

namespace weir::delta {

/// The column that day(event_time) becomes: "event_date" of "event_time".
std::string DerivedName(const std::string& source, connect::Transform transform);

/// kInvalidInput for a definition that does not fit together, kUnsupported WEIR0403 for what Delta
/// does not have.
Result<LogCommit> NewTable(const connect::TableDefinition& definition, std::int64_t now_ms);

}  // namespace weir::delta
