#pragma once
// SparkCheckpoint: what the checkpoint folder of a stopped Structured Streaming query says of its
// Kafka source: for each batch where it ends, and which batches Spark knows to be done.
//
// Written by other versions of another program: everything is read with bounds, numeric file names
// only, and what is not understood is an error, not a guess.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "connect/table.h"
#include "record/offsets.h"

namespace weir::app {

/// One batch of `offsets/`.
struct SparkBatch {
  std::int64_t number = 0;
  std::map<std::string, OffsetMap> offsets;  // by topic; the next ones to read behind the batch
  std::optional<Micros> watermark;           // that the batch ran with
};

struct SparkCheckpoint {
  std::string query_id;
  std::optional<std::int64_t> committed;   // newest batch of `commits/`
  std::optional<SparkBatch> done;          // that one
  std::optional<SparkBatch> in_work;       // the one behind it, if it was begun
  std::optional<Micros> watermark_behind;  // that the batch after `done` would have run with
};

/// kNotFound: no checkpoint there. kCorrupt, kUnsupported: naming the file.
Result<SparkCheckpoint> ReadSparkCheckpoint(const std::string& folder);

/// Which batch the table holds last.
struct SparkDecision {
  const SparkBatch* batch = nullptr;
  std::string why;
};

/// The batch in work is done if the table says so: snapshots that Spark's sink made name the query
/// and the batch. kRefused when the table cannot say it, or contradicts the checkpoint.
Result<SparkDecision> DecideSparkBatch(const SparkCheckpoint& checkpoint,
                                       const std::vector<connect::SnapshotInfo>& snapshots);

}  // namespace weir::app
