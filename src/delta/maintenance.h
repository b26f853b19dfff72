#pragma once
// Maintenance: what keeps a log short: checkpoints, removal of what is older than its retention,
// and of data files that left the table. Best effort; safe at any time and by anyone.
//
// Table properties decide (delta.checkpointInterval, delta.logRetentionDuration,
// delta.enableExpiredLogCleanup, delta.deletedFileRetentionDuration). Commits go oldest first, and
// only behind a checkpoint that is itself past the retention, so that every version since can be
// made up. Of checkpoints, which hold the whole list of files, one an hour is kept, and the newest.

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "delta/log_reader.h"
#include "delta/table_state.h"
#include "io/store.h"

namespace weir::delta {

/// Table property: "shared" where the files belong to a table of another format too, which then
/// removes them.
inline constexpr const char* kFilesProperty = "weir.files";

class Maintenance {
 public:
  /// `folder`: key of the table's folder.
  Maintenance(io::Store& store, std::string folder, Clock& clock)
      : store_(store), folder_(std::move(folder)), reader_(store, folder_), clock_(clock) {}

  /// `state` must be the newest that is known and of a table that Weir may write.
  Status Run(TableState& state);

 private:
  Status WriteNewCheckpoint(const TableState& state);
  Result<bool> CleanLog(std::int64_t cutoff_ms);
  Status ThinCheckpoints(const LogListing& listing, std::int64_t anchor);
  void RemoveFiles(TableState& state);
  std::int64_t NowMs() const { return clock_.Now() / kMicrosPerMilli; }

  io::Store& store_;
  std::string folder_;
  LogReader reader_;
  Clock& clock_;
  std::optional<std::int64_t> checkpoint_;  // the newest one known
  std::optional<Micros> next_clean_;        // monotonic
};

}  // namespace weir::delta
