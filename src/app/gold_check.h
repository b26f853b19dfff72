#pragma once
// GoldCheck: counts what a gold table of a pipeline holds, in the terms of a generator's answer
// key.

#include <optional>
#include <string>

#include "app/table_scan.h"
#include "base/result.h"
#include "config/pipeline_spec.h"
#include "generate/gold_totals.h"

namespace weir::app {

/// The name under which the key has such a table; nullopt where it counts by other rules than the
/// table, or does not count at all.
std::optional<std::string> GoldKindOf(const config::PipelineSpec& spec,
                                      const config::TableSpec& table);

/// Errors: those of the table and its files.
Result<generate::GoldTotals> CountGold(const config::TableSpec& table, OpenedTable& opened);

}  // namespace weir::app
