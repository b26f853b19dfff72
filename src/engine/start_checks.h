#pragma once
// StartChecks: why a pipeline refuses to start, each with one message that says what was found and
// the command that resolves it. Pure functions over what was read; docs/OPERATIONS.md lists them.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/result.h"
#include "connect/log_source.h"
#include "engine/open_table.h"
#include "engine/ownership.h"
#include "state/claim.h"

namespace weir::engine {

/// What an operator accepted on the command line: `--accept NAME`, each for one start.
enum class Accept {
  kReplay,     // state is gone: read from `start` again, rows already in the tables come twice
  kOffsetGap,  // records expired unread: go on behind the gap
  kNewTopic,   // the topic was replaced: read the new one from its beginning
  kRollback,   // the table was rolled back: its present head is right
};
using AcceptSet = std::set<Accept>;

/// kInvalidInput WEIR0701 naming the known ones.
Result<Accept> ParseAccept(std::string_view name);

/// No claim exists although tables show this pipeline's progress, or although tables of windows,
/// sessions and the like hold rows of anybody: WEIR0201.
Status CheckStatePresent(std::span<const OpenTable> tables, const std::string& pipeline,
                         const std::string& state_location, const AcceptSet& accepted);

/// The claim is of this pipeline (WEIR0208), this topic, cluster and topic id (WEIR0205), and these
/// tables (WEIR0202).
Status CheckIdentity(const state::Claim& claim, const ClaimIdentity& now,
                     const AcceptSet& accepted);

/// Every table that was written before is in the catalog (WEIR0202); asked before any is made,
/// since an empty one would take the name of the one that is missing.
Status CheckTablesThere(const state::Claim& claim, std::span<const config::TableSpec> tables,
                        connect::Catalog& catalog);

/// No table is ahead of the state (WEIR0201: the state was restored from an older copy) or behind
/// it (WEIR0203: the table or its catalog was), and none lost its progress (WEIR0204).
Status CheckTablesAgree(std::span<OpenTable> tables, const std::string& topic,
                        const std::map<Partition, state::PartitionStanding>& standings);

/// Reading can go on where it stopped: WEIR0206 expired, WEIR0207 log shorter than what was read,
/// WEIR0205 partitions gone. With kOffsetGap accepted, standings move to the first record there is.
Status CheckOffsets(const connect::TopicInfo& topic, const AcceptSet& accepted,
                    std::map<Partition, state::PartitionStanding>& standings);

}  // namespace weir::engine
