#include "sim/sim_lake.h"

#include <algorithm>

namespace weir::sim {

using connect::CommitOutcome;

std::int64_t NumberOf(const connect::TableVersion& version) {
  return std::static_pointer_cast<const SimVersion>(version.metadata)->number;
}

class SimGroup final : public connect::TableGroup {
 public:
  SimGroup(SimLake& lake, int process) : lake_(lake), process_(process) {}

  Result<CommitOutcome> Commit(std::span<const connect::GroupedCommit> parts) override {
    if (!lake_.world_.Step(process_)) return World::Death();
    if (lake_.Fires(lake_.chaos_.reply_lost_not_done, Fault::kCommitReplyLostNotDone))
      return CommitOutcome::kUnknown;
    std::vector<Change> changes;
    for (const auto& part : parts)
      changes.push_back({&lake_.tables_.at(connect::ToString(part.table->name())),
                         NumberOf(*part.base), part.commit});
    if (lake_.Fires(lake_.chaos_.lands_later, Fault::kCommitLandsLater)) {
      lake_.late_.emplace_back(
          [this_lake = &lake_, changes] { (void)SwapAll(*this_lake, changes); });
      return CommitOutcome::kUnknown;
    }
    if (lake_.Fires(lake_.chaos_.foreign_append, Fault::kForeignAppend))
      AppendForeign(*changes.back().table);
    if (lake_.together == Together::kInTurn &&
        lake_.Fires(lake_.chaos_.half_committed, Fault::kHalfCommitted)) {
      lake_.Swap(*changes.front().table, changes.front().base, changes.front().commit);
      return lake_.world_.random().Chance(0.5) ? CommitOutcome::kUnknown : CommitOutcome::kConflict;
    }
    const bool swapped = SwapAll(lake_, changes);
    if (!lake_.world_.Step(process_)) return World::Death();
    if (lake_.Fires(lake_.chaos_.reply_lost_done, Fault::kCommitReplyLostDone))
      return CommitOutcome::kUnknown;
    return swapped ? CommitOutcome::kCommitted : CommitOutcome::kConflict;
  }

 private:
  struct Change {
    SimTableState* table;
    std::int64_t base;
    connect::TableCommit commit;
  };

  static bool SwapAll(SimLake& lake, const std::vector<Change>& changes) {
    const bool current = std::ranges::all_of(
        changes, [](const Change& change) { return change.table->version.number == change.base; });
    if (!current) return false;
    for (const Change& change : changes) lake.Swap(*change.table, change.base, change.commit);
    return true;
  }

  void AppendForeign(SimTableState& table) {
    if (table.rolled_back_from) return;
    SimLake::Append(table, {}, table.version.next_snapshot++, {}, lake_.world_.clock().Now());
  }

  SimLake& lake_;
  int process_;
};

class SimTable final : public connect::Table {
 public:
  SimTable(SimLake& lake, int process, connect::TableName name,
           std::shared_ptr<connect::TableGroup> group)
      : lake_(lake), process_(process), name_(std::move(name)), group_(std::move(group)) {}

  const connect::TableName& name() const override { return name_; }

  Result<std::shared_ptr<const connect::TableVersion>> Load() override {
    if (!lake_.world_.Step(process_)) return World::Death();
    if (Fires(lake_.chaos_.away, Fault::kCatalogAway))
      return Unavailable("simulated catalog is away", ErrorCode::kCatalogUnavailable);
    auto found = lake_.tables_.find(connect::ToString(name_));
    if (found == lake_.tables_.end()) return NotFound("no such table", ErrorCode::kTableMissing);
    return std::shared_ptr<const connect::TableVersion>(Describe(found->second));
  }

  Result<CommitOutcome> Commit(const connect::TableVersion& base,
                               const connect::TableCommit& commit) override {
    if (!lake_.world_.Step(process_)) return World::Death();
    SimTableState& table = lake_.tables_.at(connect::ToString(name_));
    const std::int64_t number = NumberOf(base);
    if (Fires(lake_.chaos_.reply_lost_not_done, Fault::kCommitReplyLostNotDone))
      return CommitOutcome::kUnknown;
    if (Fires(lake_.chaos_.lands_later, Fault::kCommitLandsLater)) {
      lake_.late_.emplace_back([this_lake = &lake_, &table, number, commit] {
        (void)this_lake->Swap(table, number, commit);
      });
      return CommitOutcome::kUnknown;
    }
    if (!table.rolled_back_from && Fires(lake_.chaos_.foreign_append, Fault::kForeignAppend))
      SimLake::Append(table, {}, table.version.next_snapshot++, {}, lake_.world_.clock().Now());
    const bool swapped = lake_.Swap(table, number, commit);
    if (!lake_.world_.Step(process_)) return World::Death();
    if (Fires(lake_.chaos_.reply_lost_done, Fault::kCommitReplyLostDone))
      return CommitOutcome::kUnknown;
    return swapped ? CommitOutcome::kCommitted : CommitOutcome::kConflict;
  }

  Status CheckEvolve(const connect::TableVersion&, const connect::SchemaChange&) override {
    return Ok();
  }

  Result<CommitOutcome> Evolve(const connect::TableVersion& base,
                               const connect::SchemaChange& change) override {
    if (!lake_.world_.Step(process_)) return World::Death();
    SimTableState& table = lake_.tables_.at(connect::ToString(name_));
    const std::int64_t number = std::static_pointer_cast<const SimVersion>(base.metadata)->number;
    if (Fires(lake_.chaos_.reply_lost_not_done, Fault::kCommitReplyLostNotDone))
      return CommitOutcome::kUnknown;
    if (Fires(lake_.chaos_.lands_later, Fault::kCommitLandsLater)) {
      lake_.late_.emplace_back(
          [&table, number, change] { (void)SimLake::Change(table, number, change); });
      return CommitOutcome::kUnknown;
    }
    const bool changed = SimLake::Change(table, number, change);
    if (!lake_.world_.Step(process_)) return World::Death();
    if (Fires(lake_.chaos_.reply_lost_done, Fault::kCommitReplyLostDone))
      return CommitOutcome::kUnknown;
    return changed ? CommitOutcome::kCommitted : CommitOutcome::kConflict;
  }

  connect::TableGroup* group() override {
    return lake_.together == Together::kNever ? nullptr : group_.get();
  }

  Status CleanUp() override { return Ok(); }
  std::string DataFolder(const connect::TableVersion&,
                         const connect::PartitionTuple&) const override {
    return "data";
  }
  Result<std::vector<connect::DataFile>> LiveFiles(const connect::TableVersion& version) override {
    return std::static_pointer_cast<const SimVersion>(version.metadata)->files;
  }
  std::vector<connect::SnapshotInfo> Snapshots(const connect::TableVersion& version) override {
    return std::static_pointer_cast<const SimVersion>(version.metadata)->snapshots;
  }
  Result<CommitOutcome> AcceptRollback(const connect::TableVersion&) override {
    return Unsupported("not simulated");
  }

 private:
  bool Fires(double chance, Fault fault) { return lake_.Fires(chance, fault); }

  std::shared_ptr<connect::TableVersion> Describe(const SimTableState& table) {
    auto version = std::make_shared<connect::TableVersion>();
    version->uuid = table.uuid;
    version->location = connect::ToString(name_);
    version->schema = table.definition.schema;
    version->progress = table.version.progress;
    version->metadata = std::make_shared<const SimVersion>(table.version);
    const auto& snapshots = table.version.snapshots;
    if (!snapshots.empty()) version->snapshot_id = snapshots.back().snapshot_id;
    if (version->progress) version->lineage = LineageOf(*version->progress, snapshots);
    return version;
  }

  static connect::Lineage LineageOf(const connect::Progress& progress,
                                    const std::vector<connect::SnapshotInfo>& snapshots) {
    for (const auto& snapshot : snapshots)
      if (snapshot.snapshot_id == progress.snapshot_id) return connect::Lineage::kIntact;
    const bool behind = snapshots.empty() || snapshots.front().sequence < progress.sequence;
    return behind ? connect::Lineage::kRolledBack : connect::Lineage::kExpired;
  }

  SimLake& lake_;
  int process_;
  connect::TableName name_;
  std::shared_ptr<connect::TableGroup> group_;
};

class SimCatalog final : public connect::Catalog {
 public:
  SimCatalog(SimLake& lake, int process)
      : lake_(lake), process_(process), group_(std::make_shared<SimGroup>(lake, process)) {}

  Result<std::unique_ptr<connect::Table>> Open(const connect::TableName& name,
                                               std::string) override {
    return std::unique_ptr<connect::Table>(
        std::make_unique<SimTable>(lake_, process_, name, group_));
  }
  Status Create(const connect::TableDefinition& definition) override {
    if (!lake_.world_.Step(process_)) return World::Death();
    SimTableState state{.definition = definition,
                        .uuid = "uuid-" + connect::ToString(definition.name),
                        .version = {},
                        .rolled_back_from = {}};
    AssignFieldIds(state.definition.schema);
    if (!lake_.tables_.try_emplace(connect::ToString(definition.name), std::move(state)).second)
      return Conflict("the table is there");
    return Ok();
  }
  Result<std::vector<connect::TableName>> List() override {
    return std::vector<connect::TableName>();
  }
  Status Check() override { return Ok(); }
  std::string Describe() const override { return "simulated lake"; }

 private:
  SimLake& lake_;
  int process_;
  std::shared_ptr<connect::TableGroup> group_;
};

bool SimLake::Fires(double chance, Fault fault) {
  if (!world_.random().Chance(chance)) return false;
  world_.faults().Count(fault);
  return true;
}

std::unique_ptr<connect::Catalog> SimLake::CatalogFor(int process) {
  return std::make_unique<SimCatalog>(*this, process);
}

void SimLake::Append(SimTableState& table, const std::vector<connect::DataFile>& files,
                     std::int64_t snapshot_id, std::map<std::string, std::string> summary,
                     Micros now) {
  SimVersion& version = table.version;
  connect::SnapshotInfo snapshot;
  snapshot.snapshot_id = snapshot_id;
  if (!version.snapshots.empty()) snapshot.parent_id = version.snapshots.back().snapshot_id;
  snapshot.sequence = ++table.last_sequence;
  snapshot.time = now;
  snapshot.operation = "append";
  snapshot.summary = std::move(summary);
  version.snapshots.push_back(snapshot);
  version.files.insert(version.files.end(), files.begin(), files.end());
  version.files_of_head = files.size();
  ++version.number;
  table.rolled_back_from.reset();
}

bool SimLake::Swap(SimTableState& table, std::int64_t base, const connect::TableCommit& commit) {
  SimVersion& version = table.version;
  if (version.number != base) return false;
  std::int64_t id = commit.snapshot_id;
  for (const auto& snapshot : version.snapshots)
    if (snapshot.snapshot_id == id) id = static_cast<std::int64_t>(world_.random().Next() >> 1);
  Append(table, commit.files, id, commit.summary, world_.clock().Now());
  if (!version.progress) version.progress.emplace();
  version.progress->snapshot_id = id;
  version.progress->sequence = version.snapshots.back().sequence;
  for (const auto& [key, progress] : commit.progress) version.progress->partitions[key] = progress;
  return true;
}

bool SimLake::Change(SimTableState& table, std::int64_t base, const connect::SchemaChange& change) {
  if (table.version.number != base) return false;
  Schema& schema = table.definition.schema;
  for (const auto& added : change.added) schema.fields.push_back(added.field);
  AssignFieldIds(schema);
  ++table.version.number;
  return true;
}

void SimLake::Nature() {
  Random& random = world_.random();
  if (!late_.empty() && random.Chance(0.05)) {
    auto change = std::move(late_.front());
    late_.erase(late_.begin());
    change();
  }
  for (auto& [name, table] : tables_) {
    auto& snapshots = table.version.snapshots;
    // Expiry after a rollback takes away the evidence of it: a known limit, not looked at here.
    if (table.rolled_back_from) continue;
    if (snapshots.size() > 2 && random.Chance(chaos_.foreign_expiry)) {
      world_.faults().Count(Fault::kForeignExpiry);
      snapshots.erase(snapshots.begin(), snapshots.end() - 1);
      ++table.version.number;
    }
    if (snapshots.size() > 1 && random.Chance(chaos_.rollback)) {
      world_.faults().Count(Fault::kRollback);
      const SimVersion before = table.version;
      snapshots.pop_back();
      table.version.files.resize(table.version.files.size() - table.version.files_of_head);
      table.version.files_of_head = 0;
      ++table.version.number;
      table.rolled_back_from = before;
    }
  }
}

void SimLake::Calm() {
  chaos_ = {.away = 0,
            .reply_lost_done = 0,
            .reply_lost_not_done = 0,
            .lands_later = 0,
            .half_committed = 0,
            .foreign_append = 0,
            .foreign_expiry = 0,
            .rollback = 0};
  for (auto& change : late_) change();
  late_.clear();
}

void SimLake::RollForward() {
  for (auto& [name, table] : tables_) {
    if (!table.rolled_back_from) continue;
    const std::int64_t number = table.version.number + 1;
    table.version = *table.rolled_back_from;
    table.version.number = number;
    table.rolled_back_from.reset();
  }
}

}  // namespace weir::sim
