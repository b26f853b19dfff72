#pragma once
// Reads the `tables` mapping, and checks each table against the columns that it will have.

#include <vector>

#include "config/pipeline_spec.h"
#include "config/section.h"

namespace weir::config {

/// What is wrong is reported. contract: nullptr when it could not be read; columns are then not
/// checked.
std::vector<TableSpec> ReadTables(Section& pipeline, const Contract* contract);

}  // namespace weir::config
