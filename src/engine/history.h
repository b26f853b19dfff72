#pragma once
// History: what the state location says of a pipeline, read without changing anything: the claim in
// force, the epoch records that are still there, and where each partition stands.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "state/claim.h"
#include "state/state_log.h"

namespace weir::engine {

struct RetainedRecord {
  state::EpochRecord record;
  std::string hash;  // SHA-256 of the stored bytes
};

struct History {
  state::Claim claim;
  std::vector<RetainedRecord> records;  // by writer, then epoch; of every writer
  std::map<Partition, state::PartitionStanding> standings;

  /// What combines the partitions, after the newest record.
  state::SharedStanding shared() const;
  state::LedgerCounts total() const;
  /// The newest record of the owner in force; nullptr when it has none.
  const state::EpochRecord* newest() const;
};

/// kNotFound when no pipeline ever started there.
Result<History> ReadHistory(state::StateLog& log);

}  // namespace weir::engine
