#pragma once
// Pipeline: one running job, from the log to its tables.
//
// Start() takes the partitions over (recovery included) and refuses what is not safe. Run() reads,
// decodes, validates, runs the event-time operators and cuts epochs on the calling thread, while an
// ApplyLane brings decided epochs into the tables. Killing the process at any moment loses and
// doubles nothing (docs/PROTOCOL.md).

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "config/pipeline_spec.h"
#include "connect/log_source.h"
#include "connect/table.h"
#include "engine/apply_lane.h"
#include "engine/collector.h"
#include "engine/event_operators.h"
#include "engine/open_table.h"
#include "engine/start_checks.h"
#include "io/store.h"
#include "state/standing.h"

namespace weir::engine {

/// The outside world of a pipeline. The references must outlive it.
struct PipelineParts {
  Clock& clock;
  io::Store& state;
  connect::Catalog& catalog;
  connect::LogSource& source;
  StoreOpener open_store;
  ApplyTurn apply_turn;                                 // nullptr outside the simulation
  std::int64_t keep_records = Collector::kKeepRecords;  // applied epoch records that stay
};

/// What one committed epoch did, for progress displays.
struct EpochReport {
  std::int64_t epoch = 0;
  state::LedgerCounts counts;
  std::map<std::string, std::int64_t> table_rows;
  std::map<std::string, std::int64_t> state_sizes;  // "dedupe.keys", "dedupe.bytes"
  std::optional<Micros> watermark;                  // of the pipeline
  Micros cut_at = 0;                                // wall clock
  Micros applied_at = 0;                            // wall clock
};

struct RunOptions {
  bool once = false;              // end when everything that is there now was read
  std::optional<Micros> run_for;  // end after this span
  bool final_watermark = false;   // at the end of a bounded run close everything, for good
  AcceptSet accepted;
  std::string version;   // of the program, for records
  std::stop_token stop;  // finish the epoch, commit, return
  // Asked between batches: whether the caller wants to go on with another contract.
  std::function<bool()> contract_waits;
  std::function<void(const EpochReport&)> on_epoch;  // called on the apply thread
  // A run that repeats another one from what that one recorded.
  std::optional<ReplayTarget> replay;
  std::set<std::string> only_tables;  // that are written; empty: all
};

enum class StopReason { kCaughtUp, kTimeUp, kStopAsked, kContractWaits };

struct RunSummary {
  StopReason reason = StopReason::kStopAsked;
  std::int64_t epochs = 0;
  state::LedgerCounts counts;                      // of this run
  std::map<std::string, std::int64_t> table_rows;  // of this run
  Micros elapsed = 0;
  std::string open;  // windows and sessions that stay open, in words; empty: none
};

class Pipeline {
 public:
  virtual ~Pipeline() = default;

  /// Everything before the first record is read: source, tables, refusals, takeover.
  static Result<std::unique_ptr<Pipeline>> Start(const config::PipelineSpec& spec,
                                                 const PipelineParts& parts, RunOptions options);

  /// Runs until the options say so, a stop is asked for, or something ends it. With `on_error:
  /// fail` a bad record ends it with kInvalidInput WEIR0601; its epoch is in no table.
  virtual Result<RunSummary> Run() = 0;
};

}  // namespace weir::engine
