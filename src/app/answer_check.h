#pragma once
// AnswerCheck: counts what the tables of a pipeline hold, in the terms of a generator's answer key.
// It reads the tables' files and the state, and knows nothing of how the rows came there.

#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "generate/answer_key.h"
#include "io/store.h"

namespace weir::app {

/// The figures of `expected` as they are found. Figures that a table has no column for stay empty.
/// Holds the ids of all events in memory. Errors: those of tables, files and state.
Result<generate::AnswerKey> CountTables(const config::PipelineSpec& spec,
                                        const generate::AnswerKey& expected,
                                        connect::Catalog& catalog, io::Store& state);

}  // namespace weir::app
