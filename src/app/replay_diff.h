#pragma once
// ReplayDiff: the tables of a replay against the live ones, as these were when the pipeline stood
// where the replay ends, although it has gone on since.

#include <string>
#include <vector>

#include "app/replay_job.h"
#include "engine/table_diff.h"

namespace weir::app {

struct ReplayTableDiff {
  std::string table;
  engine::TableDiff diff;  // left: live, right: replay
  std::string note;        // why not all could be compared; empty: all was
};

/// tables: empty for all of the plan's. samples: of each kind.
Result<std::vector<ReplayTableDiff>> DiffReplay(ReplayJob& job,
                                                const std::vector<std::string>& tables,
                                                std::size_t samples);

}  // namespace weir::app
