#pragma once
// Reads the rules of one operator of a table: dedupe, windows, sessions, funnel, active users,
// session statistics. Columns and event types are checked against the contract; what is wrong is
// reported at its place.

#include "config/pipeline_spec.h"
#include "config/section.h"

namespace weir::config {

/// By table.from, which is one of the operators. contract: nullptr when it could not be read.
void ReadOperator(Section& section, const Contract* contract, TableSpec& table);

/// Without the horizon's default, which is the watermark's delay.
DedupeRules ReadDedupe(Section& section, const Contract* contract);

}  // namespace weir::config
