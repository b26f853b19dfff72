#pragma once
// ReplaySwap: a replay's tables take the place of the live ones, which keep their rows under
// another name, and the pipeline goes on from where the replay stands.
//
// The pipeline must be stopped. The catalog renames all tables in one step; the claim that goes
// with it comes after, and until it is there no pipeline starts (the tables' uuids are not those of
// the claim). Killed in between, the same call ends what was begun.

#include "base/clock.h"
#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "engine/open_table.h"
#include "engine/replay_plan.h"
#include "io/store.h"
#include "state/state_log.h"

namespace weir::engine {

struct SwapParts {
  Clock& clock;
  io::Store& state;         // of the pipeline
  io::Store& replay_state;  // of the replay
  connect::Catalog& catalog;
  StoreOpener open_store;
};

/// Whether the tables were exchanged already, by a call that did not come to its end.
Result<bool> TablesAreSwapped(const ReplayPlan& plan, const SwapParts& parts);

/// Brings every decided epoch into the live tables and ends the log of the last process.
Status SettleLive(const config::PipelineSpec& spec, const SwapParts& parts);

/// kRefused WEIR0209 when only some tables were made anew under another configuration, or when the
/// replay is not where the live tables are; those of the catalog.
Status SwapTables(const config::PipelineSpec& spec, const ReplayPlan& plan, const SwapParts& parts);

}  // namespace weir::engine
