#pragma once
// Applier: brings a decided epoch record into the tables, exactly once, as often as it is asked to.
//
// docs/PROTOCOL.md section "Applying". Only the progress in the table says whether a record is
// applied. Tables of one group (connect/table_commit.h) change in one step, the others one after
// the other. Conflicts and unknown outcomes lead back to a fresh look; nothing is deleted after an
// unknown one. Several appliers may work on one record at once. One Applier is used by one thread.

#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "connect/table.h"
#include "engine/open_table.h"
#include "engine/patience.h"
#include "state/epoch_record.h"

namespace weir::engine {

/// The key of a partition in a table's progress.
std::string ProgressKey(const std::string& topic, Partition partition);

enum class ApplyDecision {
  kDone,  // the table shows this record, or a later one, for all its partitions
  kGoOn,  // the table stands exactly before it
};

/// Looks at one version of a table and decides. Pure.
/// kRefused: WEIR0202 (uuid), WEIR0204 (progress gone), WEIR0203 (rolled back), and kInternal for a
/// state that the protocol excludes.
Result<ApplyDecision> DecideApply(const state::EpochRecord& record, const std::string& table_name,
                                  const connect::TableVersion& version);

class Applier {
 public:
  Applier(Clock& clock, PatienceRules patience, std::span<OpenTable> tables)
      : clock_(clock), patience_(std::move(patience)), tables_(tables) {}

  /// All tables of the record, in apply order. Returns when every one shows it.
  Status Apply(const state::EpochRecord& record);

 private:
  /// Names of the tables that are done: those that a step can change together, if any.
  Result<std::set<std::string>> ApplyTogether(const state::EpochRecord& record);
  Status ApplyToGroup(const state::EpochRecord& record, connect::TableGroup& group,
                      const std::vector<OpenTable*>& members, std::set<std::string>& done);
  Result<connect::CommitOutcome> TryGroup(const state::EpochRecord& record,
                                          connect::TableGroup& group,
                                          const std::vector<OpenTable*>& members,
                                          std::set<std::string>& done);
  Status ApplyToTable(const state::EpochRecord& record, const state::TableEpoch& epoch,
                      OpenTable& table);
  Status CheckOldFiles(const state::EpochRecord& record, const state::TableEpoch& epoch,
                       OpenTable& table);

  Clock& clock_;
  PatienceRules patience_;
  std::span<OpenTable> tables_;
};

}  // namespace weir::engine
