#pragma once
// ScenarioCheck: what differs between what a scenario expects and what a run gave, and between two
// runs of it, as lines for people. Rows are compared as sets that may hold equal rows. Pure.

#include <string>
#include <vector>

#include "app/scenario.h"
#include "app/scenario_run.h"

namespace weir::app {

/// Empty: everything is as expected. kInvalidInput WEIR0104 where the scenario expects what cannot
/// be: a column that the table lacks, a text as a number.
Result<std::vector<std::string>> CheckExpected(const Scenario& scenario, const RunOutcome& outcome);

/// Whether another way to run it gave the same tables, ledger and error. Not compared: columns and
/// tables that the wall clock fills, and the tables of a run that an error ended half-way.
std::vector<std::string> CompareRuns(const Scenario& scenario, const RunOutcome& plain,
                                     const RunOutcome& other);

}  // namespace weir::app
