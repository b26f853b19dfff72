#include "engine/applier.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fail_point.h"
#include "base/log.h"
#include "base/seeded_bug.h"

namespace weir::engine {
namespace {

// After this long a foreign orphan sweep or VACUUM may have removed files that no table names yet.
constexpr Micros kFilesMayBeGoneAfter = 3600 * kMicrosPerSecond;

Error RolledBack(const std::string& table, const connect::TableVersion& version) {
  return WithRemedy(
      Refused(
          fmt::format("table {} was rolled back: its head {} does not contain snapshot {}, which "
                      "this pipeline wrote",
                      table, version.snapshot_id.value_or(-1),
                      version.progress ? version.progress->snapshot_id : -1),
          ErrorCode::kTableRolledBack),
      "set the table forward to that snapshot, or accept the rollback with `--accept rollback`: "
      "the "
      "rows rolled away are then not written again");
}

// Somebody brought back an older copy of the table or of its catalog; what was written since is not
// in it.
Error OlderCopy(const std::string& table, const state::EpochRecord& record) {
  return WithRemedy(
      Refused(fmt::format("table {} stands before what was written to it when epoch {} was made: "
                          "the table or its catalog was restored from an older copy",
                          table, record.epoch),
              ErrorCode::kTableRolledBack),
      "bring the newest copy of the catalog and the table back, then start again");
}

connect::TableCommit CommitOf(const state::EpochRecord& record, const state::TableEpoch& epoch,
                              const config::TableSpec& spec) {
  connect::TableCommit commit;
  commit.files = epoch.files;
  commit.replaced = epoch.replaced;
  commit.snapshot_id = epoch.snapshot_id;
  for (const auto& [partition, part] : record.partitions)
    commit.progress[ProgressKey(record.topic, partition)] = {record.PositionOf(partition),
                                                             part.end.next_offset};
  commit.summary = {{"weir.pipeline", record.pipeline},
                    {"weir.writer", record.writer},
                    {"weir.epoch", std::to_string(record.epoch)},
                    {"engine-name", "weir"},
                    {"engine-version", record.engine}};
  commit.expiry = {.max_age = spec.expire_after, .keep_at_least = spec.keep_snapshots};
  return commit;
}

// A conflict is somebody's success and needs no long wait, but many of them must not spin.
Error ReasonOf(connect::CommitOutcome outcome, const std::string& tables) {
  return outcome == connect::CommitOutcome::kConflict
             ? Conflict("other writers commit to " + tables)
             : CommitUnknown("the answer to a commit was lost");
}

}  // namespace

std::string ProgressKey(const std::string& topic, Partition partition) {
  return fmt::format("{}/{}", topic, partition.value());
}

Result<ApplyDecision> DecideApply(const state::EpochRecord& record, const std::string& table_name,
                                  const connect::TableVersion& version) {
  const state::TableEpoch& epoch = record.tables.at(table_name);
  if (version.uuid != epoch.uuid)
    return Refused(
        fmt::format("table {} is not the one that epoch {} was written for (uuid {}, was {})",
                    table_name, record.epoch, version.uuid, epoch.uuid),
        ErrorCode::kTableReplaced);
  const bool expects_progress = std::ranges::any_of(
      epoch.before, [](const auto& entry) { return entry.second != Position(); });
  if (expects_progress && !version.progress)
    return Refused(
        fmt::format("table {} shows no progress of pipeline {}, but it was written before",
                    table_name, record.pipeline),
        ErrorCode::kProgressLost);
  if (version.lineage == connect::Lineage::kRolledBack && !HasBug(SeededBug::kSkipRollbackCheck))
    return RolledBack(table_name, version);

  std::size_t done = 0;
  std::size_t before = 0;
  std::size_t not_beyond = 0;
  for (const auto& [partition, part] : record.partitions) {
    Position shown;
    if (version.progress) {
      auto found = version.progress->partitions.find(ProgressKey(record.topic, partition));
      if (found != version.progress->partitions.end()) shown = found->second.position;
    }
    if (HasBug(SeededBug::kScalarProgress)) shown.since = part.since;
    if (shown >= record.PositionOf(partition)) ++done;
    Position due = epoch.before.at(partition);
    if (HasBug(SeededBug::kScalarProgress)) due.since = part.since;
    if (shown == due) ++before;
    if (shown <= due) ++not_beyond;
  }
  if (done == record.partitions.size()) return ApplyDecision::kDone;
  if (before == record.partitions.size()) return ApplyDecision::kGoOn;
  if (not_beyond == record.partitions.size()) return OlderCopy(table_name, record);
  return Internal(fmt::format(
      "table {} stands neither before nor after epoch {} of writer {}; nothing was written",
      table_name, record.epoch, record.writer));
}

Status Applier::Apply(const state::EpochRecord& record) {
  WEIR_ASSIGN_OR_RETURN(const auto done, ApplyTogether(record));
  bool first = true;
  for (OpenTable& table : tables_) {
    auto epoch = record.tables.find(table.name);
    if (epoch == record.tables.end() || done.contains(table.name)) continue;
    if (!first) Reach(FailPoint::kApplyBetweenTables);
    first = false;
    WEIR_TRY(ApplyToTable(record, epoch->second, table));
  }
  for (const auto& [name, epoch] : record.tables)
    if (std::ranges::find(tables_, name, &OpenTable::name) == tables_.end())
      return Refused(
          fmt::format("epoch {} of writer {} wrote table {}, which the pipeline no longer "
                      "has; put it back until that epoch is applied",
                      record.epoch, record.writer, name),
          ErrorCode::kSpecChanged);
  return Ok();
}

Result<std::set<std::string>> Applier::ApplyTogether(const state::EpochRecord& record) {
  std::map<connect::TableGroup*, std::vector<OpenTable*>> groups;
  for (OpenTable& table : tables_) {
    if (!record.tables.contains(table.name)) continue;
    if (auto* group = table.table->group()) groups[group].push_back(&table);
  }
  std::set<std::string> done;
  for (const auto& [group, members] : groups)
    if (members.size() > 1) WEIR_TRY(ApplyToGroup(record, *group, members, done));
  return done;
}

Status Applier::ApplyToGroup(const state::EpochRecord& record, connect::TableGroup& group,
                             const std::vector<OpenTable*>& members, std::set<std::string>& done) {
  Patience patience(clock_, patience_, "the tables of an epoch");
  for (;;) {
    const auto outcome = TryGroup(record, group, members, done);
    if (outcome && *outcome == connect::CommitOutcome::kCommitted) return Ok();
    if (!outcome && outcome.error().kind != ErrorKind::kUnavailable) return outcome.error();
    const Error reason = !outcome ? outcome.error() : ReasonOf(*outcome, "these tables");
    log::Debug("a commit to several tables is tried again", {{"because", reason.message}});
    WEIR_TRY(patience.After(reason));
  }
}

// All from a fresh look. What some table shows already, after an unknown outcome or of a time when
// the tables were no group, is left to be.
Result<connect::CommitOutcome> Applier::TryGroup(const state::EpochRecord& record,
                                                 connect::TableGroup& group,
                                                 const std::vector<OpenTable*>& members,
                                                 std::set<std::string>& done) {
  std::vector<std::shared_ptr<const connect::TableVersion>> versions;
  std::vector<connect::GroupedCommit> parts;
  std::vector<std::string> whole;
  for (OpenTable* table : members) {
    const state::TableEpoch& epoch = record.tables.at(table->name);
    WEIR_ASSIGN_OR_RETURN(versions.emplace_back(), table->table->Load());
    WEIR_ASSIGN_OR_RETURN(const auto decision, DecideApply(record, table->name, *versions.back()));
    if (decision == ApplyDecision::kDone) {
      done.insert(table->name);
      continue;
    }
    if (clock_.Now() - record.time > kFilesMayBeGoneAfter)
      WEIR_TRY(CheckOldFiles(record, epoch, *table));
    auto part = table->table->Grouped(*versions.back(), CommitOf(record, epoch, table->spec));
    if (!part) continue;
    if (part->whole) whole.push_back(table->name);
    parts.push_back(*std::move(part));
  }
  // By themselves, then: also where a server turns out not to know the step that it offers.
  if (parts.size() < 2 || members.front()->table->group() != &group)
    return connect::CommitOutcome::kCommitted;
  Reach(FailPoint::kApplyBefore);
  WEIR_ASSIGN_OR_RETURN(const auto outcome, group.Commit(parts));
  if (outcome != connect::CommitOutcome::kCommitted) return outcome;
  Reach(FailPoint::kApplyAfter);
  done.insert(whole.begin(), whole.end());
  return outcome;
}

Status Applier::ApplyToTable(const state::EpochRecord& record, const state::TableEpoch& epoch,
                             OpenTable& table) {
  const std::string waiting_for = "table " + table.name;
  Patience patience(clock_, patience_, waiting_for);
  const connect::TableCommit commit = CommitOf(record, epoch, table.spec);
  bool look = true;
  for (;;) {
    auto version = table.table->Load();
    if (!version) {
      if (version.error().kind != ErrorKind::kUnavailable) return std::move(version).error();
      WEIR_TRY(patience.After(version.error()));
      continue;
    }
    WEIR_ASSIGN_OR_RETURN(auto decision, DecideApply(record, table.name, **version));
    if (decision == ApplyDecision::kDone && look) return Ok();
    if (clock_.Now() - record.time > kFilesMayBeGoneAfter)
      WEIR_TRY(CheckOldFiles(record, epoch, table));
    Reach(FailPoint::kApplyBefore);
    auto outcome = table.table->Commit(**version, commit);
    if (outcome && *outcome == connect::CommitOutcome::kCommitted) {
      Reach(FailPoint::kApplyAfter);
      return Ok();
    }
    if (!outcome && outcome.error().kind != ErrorKind::kUnavailable)
      return std::move(outcome).error();
    if (outcome && *outcome == connect::CommitOutcome::kUnknown) {
      if (HasBug(SeededBug::kTrustUnknownCommit)) return Ok();
      if (HasBug(SeededBug::kSkipReload)) look = false;
      if (HasBug(SeededBug::kDeleteOnUnknown))
        for (const auto& file : epoch.files) (void)table.store->Delete(file.path);
    }
    const Error reason = !outcome ? outcome.error() : ReasonOf(*outcome, table.name);
    log::Debug("commit is tried again", {{"table", table.name}, {"because", reason.message}});
    WEIR_TRY(patience.After(reason));
  }
}

Status Applier::CheckOldFiles(const state::EpochRecord& record, const state::TableEpoch& epoch,
                              OpenTable& table) {
  for (const auto& file : epoch.files) {
    auto info = table.store->Head(file.path);
    if (info) continue;
    if (info.error().kind != ErrorKind::kNotFound) return std::move(info).error();
    std::string ranges;
    for (const auto& [partition, part] : record.partitions)
      ranges += fmt::format(" {}[{}, {})", partition.value(), part.from.value(),
                            part.end.next_offset.value());
    return Refused(
        fmt::format("file {} of epoch {} is gone before table {} got it; the epoch holds "
                    "offsets{} of topic {}",
                    file.path, record.epoch, table.name, ranges, record.topic),
        ErrorCode::kDataFileMissing);
  }
  return Ok();
}

}  // namespace weir::engine
