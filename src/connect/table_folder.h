#pragma once
// The folder of a table in a lake where folders are the catalog: one a part of its name. Pure.

#include <string>
#include <string_view>

#include "base/result.h"
#include "connect/table.h"

namespace weir::connect {

/// "retail/events" of retail.events.
std::string TableFolder(const TableName& name);
/// The table that lies in a folder. kInvalidInput for one that is no table's.
Result<TableName> TableInFolder(std::string_view folder);

/// kInvalidInput for a name with a part that is no good folder: one of the system's or of ours, or
/// one that begins as the format's own do (`reserved`).
Status CheckTableFolder(const TableName& name, std::string_view reserved = {});

}  // namespace weir::connect
