#pragma once
// CommitBuilder: the actions of one try to commit, on top of exactly the version that they were
// built from. Pure, but for the attempt's random id.

#include <cstdint>

#include "base/result.h"
#include "connect/table.h"
#include "delta/action.h"
#include "delta/progress.h"
#include "delta/table_state.h"

namespace weir::delta {

struct CommitInput {
  const TableState& state;  // at the base's version
  const ProgressTracker& tracker;
  std::int64_t now_ms = 0;
};

/// kInvalidInput for files that do not fit the table; kRefused WEIR0403 where rows would leave a
/// table that is for appending only.
Result<LogCommit> BuildCommit(const connect::TableVersion& base, const connect::TableCommit& commit,
                              const CommitInput& input);

/// A version as a snapshot for people.
connect::SnapshotInfo InfoOf(std::int64_t version, const LogCommit& commit);

}  // namespace weir::delta
