#pragma once
// ScenarioRun: the real engine reads the log of a scenario on a virtual clock, into tables and a
// state that are in memory or on a real lake, in one of several ways that must make no difference.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/scenario.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/pipeline.h"
#include "record/type.h"
#include "state/standing.h"

namespace weir::app {

/// A way to run a scenario.
struct RunPlan {
  std::string name;                               // "in epochs of 1 record"
  std::optional<std::int64_t> epoch_rows;         // instead of what the pipeline says
  bool restart_after_epoch = false;               // a new process after each epoch with records
  std::optional<std::uint64_t> kill_seed;         // processes die at random calls
  std::optional<std::uint64_t> order_seed;        // another interleaving of the partitions
  bool prove = true;                              // `verify` looks at the tables in the end
  std::string lake_format = {};                   // instead of what the pipeline says
  std::optional<config::SourceSpec> log;          // a real one that the records go through
  std::optional<config::PipelineSpec> lake = {};  // a real one: its lake, state and s3
};

/// A table at the end of a run: each value as text.
struct TableContent {
  Schema schema;
  std::vector<std::vector<std::string>> rows;
  bool by_clock = false;  // what the wall clock decided is in every row
};

struct RunOutcome {
  std::map<std::string, TableContent> tables;  // those that exist
  state::LedgerCounts ledger;
  std::optional<Micros> watermark;    // of the pipeline; none yet
  std::string open;                   // what the last run says stays open
  std::optional<Error> error;         // that ended the last process
  bool read_before_error = false;     // it came while records were read, not at the start
  std::int64_t calls = 0;             // of stores and source
  int processes = 0;                  // that ran
  int deaths = 0;                     // of them by a kill
  std::vector<std::string> unproven;  // what `verify` finds wrong
};

/// calls_of_plain_run: how many calls a run takes that nobody kills; for plans that kill.
/// Errors: those of the stores and the catalog, and kInternal.
Result<RunOutcome> RunScenario(const Scenario& scenario, const RunPlan& plan,
                               std::int64_t calls_of_plain_run);

}  // namespace weir::app
