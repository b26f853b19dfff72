#pragma once
// Statistics of a file as the log has them: a JSON text with counts, minima and maxima by column.
//
// What is written never excludes a row that is there: minima are rounded down and maxima up, where
// a form is coarser than the values (strings that were cut, timestamps in milliseconds); what has
// no safe form is left out. Pure functions.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "connect/data_file.h"
#include "delta/layout.h"

namespace weir::delta {

std::string StatsText(const Layout& layout, const connect::DataFile& file);

/// Bounds of whole numbers in top-level columns, which are exact in any form of statistics.
std::map<int, connect::ColumnMetrics> WholeBoundsIn(const Layout& layout, std::string_view stats);

/// numRecords; nullopt when the text does not tell.
std::optional<std::int64_t> RecordsInStats(std::string_view stats);

}  // namespace weir::delta
