#pragma once
// Checkpoints: a state as rows of a Parquet file, one row an action; classic ones only.
//
// What is written is made in memory and read again before it is put under its name: a checkpoint
// that forgets a file would lose its rows for every reader. Foreign ones may have more columns and
// fewer.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "delta/table_state.h"
#include "io/store.h"

namespace weir::delta {

/// Adds what a part holds to `state`. kCorrupt WEIR0405, and those of the store.
Status ReadCheckpoint(io::Store& store, const std::string& key, std::int64_t version,
                      TableState& state);

struct CheckpointBytes {
  std::string bytes;
  std::int64_t actions = 0;
};
/// kInternal when what was written does not read back as the same state.
Result<CheckpointBytes> WriteCheckpoint(const TableState& state);

}  // namespace weir::delta
