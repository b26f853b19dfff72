#pragma once
// Ownership: how a writer gets the partitions of a topic, and how a dead writer's log ends.
//
// docs/PROTOCOL.md sections "Starting" and "Taking over". There is no other recovery: sealing the
// old log and applying its records is the recovery, and the end of its last record is where reading
// goes on. Safe against any number of processes doing the same at once; each step can be killed.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/applier.h"
#include "state/claim.h"
#include "state/state_log.h"

namespace weir::engine {

/// A writer log that has ended.
struct SealedLog {
  std::string writer;
  std::int64_t seal_at = 0;
  std::vector<state::EpochRecord> records;  // those still there, in order
};

/// Ends the log of a writer, or finds its end. Returns only when the seal is known to be real.
Result<SealedLog> SealLog(state::StateLog& log, Clock& clock, const std::string& sealer,
                          const std::string& writer);

/// Where each partition of a claim stands, given the sealed logs of its owners: the end in the last
/// record that covers the partition with the same `since`, else the claim's own start. Pure.
std::map<Partition, state::PartitionStanding> StandingsOf(const state::Claim& claim,
                                                          const std::vector<SealedLog>& logs);

/// Where what combines the partitions stands: as the last record of the owner says, else as the
/// claim does. Such a pipeline has one owner at a time. Pure.
state::SharedStanding SharedOf(const state::Claim& claim, const std::vector<SealedLog>& logs);

/// What the claim that TakeAll puts must say besides the partitions.
struct ClaimIdentity {
  std::string pipeline;
  std::string writer;
  std::string topic;
  std::string topic_id;
  std::string cluster_id;
  std::string config_hash;
  std::string contract;  // its hash
  std::map<std::string, std::string> table_uuids;
};

/// Called with the standings before they are claimed; an error stops the start. May change
/// standings (an accepted gap).
using StandingCheck = std::function<Status(std::map<Partition, state::PartitionStanding>&)>;

/// Makes `identity.writer` the owner of every partition of the newest claim, plus those of `added`
/// that no claim knows yet. A claim must exist. kRefused WEIR0212 when somebody sealed this writer.
Result<state::Claim> TakeAll(state::StateLog& log, Clock& clock, Applier& applier,
                             const ClaimIdentity& identity,
                             const std::map<Partition, state::PartitionStanding>& added,
                             const StandingCheck& check);

/// Adds partitions to a claim that is in force and ours: claim n+1, the others unchanged.
Result<state::Claim> AddPartitions(state::StateLog& log, Clock& clock, const state::Claim& current,
                                   const std::map<Partition, state::PartitionStanding>& added);

/// The first claim of a pipeline: nobody owns anything, every start is a number.
Status PutFirstClaim(state::StateLog& log, Clock& clock, std::int64_t number,
                     const ClaimIdentity& identity,
                     const std::map<Partition, state::PartitionStanding>& starts);

}  // namespace weir::engine
