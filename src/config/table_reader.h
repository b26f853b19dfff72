#pragma once
// Reads the `tables` mapping, and checks each table against the columns that it will have.

#include <vector>

#include "config/pipeline_spec.h"
#include "config/rows_reader.h"
#include "config/section.h"

namespace weir::config {

/// The tables in their order, and what their mappings say of their rows, one each.
struct TableList {
  std::vector<TableSpec> tables;
  std::vector<TableRows> rows;
};

/// What is wrong is reported. contract: nullptr when it could not be read; columns are then not
/// checked.
TableList ReadTables(Section& pipeline, const Contract* contract);

}  // namespace weir::config
