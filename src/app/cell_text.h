#pragma once
// Cells of table values: one value of a column as a cell of a listing.

#include "app/listing.h"
#include "record/column.h"

namespace weir::app {

/// Numbers stay numbers; times, decimals and uuids become text; nested values JSON-like text.
Cell CellOf(const Column& column, std::size_t row);

}  // namespace weir::app
