#pragma once
// EventTrace: one record of the log, followed through the tables of its pipeline: bronze,
// quarantine, late, silver, its windows and its session. Reads only. What a table says is the
// verdict; the watermark that a row met is worked out from the rows before it in its partition.

#include <string>
#include <vector>

#include "config/pipeline_spec.h"
#include "connect/table.h"
#include "engine/history.h"

namespace weir::app {

struct TraceStep {
  std::string stage;
  std::string verdict;
  std::string detail;
};

struct RecordTrace {
  Partition partition;
  Offset offset;
  std::vector<TraceStep> steps;
};

class EventTrace {
 public:
  /// All must outlive it. decisions: of the state.
  EventTrace(const config::PipelineSpec& spec, connect::Catalog& catalog,
             const engine::History& history, std::vector<state::StateLog::DecidedEpoch> decisions)
      : spec_(spec), catalog_(catalog), history_(history), decisions_(std::move(decisions)) {}

  using Place = std::pair<Partition, Offset>;
  /// The records that carry this event id; kInvalidInput without a column to look in.
  Result<std::vector<Place>> FindEvent(const std::string& id);
  /// The records of the rows of a session.
  Result<std::vector<Place>> FindSession(const std::string& session_id);
  Result<RecordTrace> Follow(Place place);

 private:
  const config::TableSpec* TableFrom(config::TableFrom from) const;
  Result<std::vector<std::vector<std::string>>> Rows(const config::TableSpec& table,
                                                     const std::vector<std::string>& columns,
                                                     Place place);
  Result<std::string> WatermarkMet(Place place);
  Status FollowGold(Place place, RecordTrace& trace);
  Status FollowSession(const config::TableSpec& table, const std::string& key, Micros time,
                       RecordTrace& trace);
  Status FollowTables(Place place, RecordTrace& trace);

  const config::PipelineSpec& spec_;
  connect::Catalog& catalog_;
  const engine::History& history_;
  std::vector<state::StateLog::DecidedEpoch> decisions_;
};

}  // namespace weir::app
