#pragma once
// TableEvolution: tables follow their contract. A column that the contract gained since the tables
// were written last is added as an optional one, a type that became wider is widened; nothing else
// ever changes a table. What a table lacks although the old contract had it was taken away by
// somebody, and stays away until a person decides (table_binding.h refuses it).
//
// Idempotent: a change that is there already is no change, so it may be begun by one process,
// killed at any point, and finished by another.

#include <memory>

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "record/contract.h"

namespace weir::engine {

/// What makes the table fit the columns `now`, as far as `before` did not have them. Pure.
/// kUnsupported WEIR0403: a widened column partitions the table.
Result<connect::SchemaChange> PlanEvolution(const Schema& before, const Schema& now,
                                            const connect::TableVersion& table);

/// Whether the pipeline can go on with its contract where `before` was in force: operator state
/// holds values of the fields that it was made of. kRefused WEIR0209.
Status CheckOperatorFields(const config::PipelineSpec& spec, const Contract& before);

/// Brings one table to the contract of the spec, as often as others commit in between. Returns the
/// version that fits, or the one that still does not.
Result<std::shared_ptr<const connect::TableVersion>> EvolveTable(
    const config::PipelineSpec& spec, const config::TableSpec& table_spec, const Contract& before,
    connect::Table& table);

/// All tables that are there, after all of them were asked whether they can: for a running pipeline
/// that would go on with `before` otherwise. Errors as above and those of binding (WEIR0402).
Status EvolveTables(const config::PipelineSpec& spec, const Contract& before,
                    connect::Catalog& catalog);

}  // namespace weir::engine
