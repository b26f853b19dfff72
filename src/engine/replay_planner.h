#pragma once
// ReplayPlanner: decides what a replay reads and where it ends: the newest decided epoch whose
// records are all in the bronze table. Reads only, also beside a running pipeline.

#include <string>
#include <vector>

#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "engine/bronze_source.h"
#include "engine/replay_plan.h"
#include "state/state_log.h"

namespace weir::engine {

struct ReplayRequest {
  std::string id;
  std::vector<std::string> tables;  // empty: all that can be made anew
  bool from_source = false;
};

/// Opens the files of a table version by their paths.
using BronzeOpenerOf = std::function<BronzeOpener(const connect::TableVersion& version)>;

/// before: the plan of the same replay that this one goes on from; nullptr: a new one. kNotFound
/// without state; kInvalidInput WEIR0701 for tables that cannot be made anew, or without bronze.
Result<ReplayPlan> PlanReplay(const config::PipelineSpec& spec, const ReplayRequest& request,
                              const ReplayPlan* before, state::StateLog& log,
                              connect::Catalog& catalog, const BronzeOpenerOf& opener);

/// The log that a plan reads from bronze.
Result<std::unique_ptr<connect::LogSource>> OpenPlannedBronze(const config::PipelineSpec& spec,
                                                              const ReplayPlan& plan,
                                                              connect::Catalog& catalog,
                                                              const BronzeOpenerOf& opener);

}  // namespace weir::engine
