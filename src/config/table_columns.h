#pragma once
// The columns of the tables that a pipeline writes, without ids. The valid table's come from the
// contract; the source table (bronze) and the invalid table (quarantine) have fixed ones.
// Pure functions.

#include "config/pipeline_spec.h"
#include "record/contract.h"
#include "record/type.h"

namespace weir::config {

/// `coordinates` matters to valid tables only.
Schema TableColumns(const Contract& contract, TableFrom from, bool coordinates);

}  // namespace weir::config
