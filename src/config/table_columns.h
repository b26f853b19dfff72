#pragma once
// The columns of the tables that a pipeline writes, without ids. The valid table's come from the
// contract, those of late, window and session tables from contract and rules; the others are fixed.
// Pure functions.

#include "config/pipeline_spec.h"
#include "record/contract.h"
#include "record/type.h"

namespace weir::config {

/// Of a table of a checked pipeline.
Schema TableColumns(const PipelineSpec& spec, const TableSpec& table);

/// The columns that no operator shapes. from: kSource, kValid or kInvalid; `coordinates` matters to
/// valid tables only.
Schema TableColumns(const Contract& contract, TableFrom from, bool coordinates);

}  // namespace weir::config
