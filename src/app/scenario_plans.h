#pragma once
// ScenarioPlans: the ways to run a scenario that must make no difference to its tables.

#include <vector>

#include "app/scenario.h"
#include "app/scenario_run.h"

namespace weir::app {

/// As the scenario says it.
RunPlan PlainPlan();

/// Small epochs, a new process after each, other interleavings of the partitions, and processes
/// that are killed at random calls.
std::vector<RunPlan> VariantPlans(const Scenario& scenario);

}  // namespace weir::app
