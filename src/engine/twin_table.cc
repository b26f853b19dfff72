#include "engine/twin_table.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/check.h"
#include "base/fail_point.h"
#include "engine/twin_columns.h"
#include "io/location.h"

namespace weir::engine {
namespace {

using connect::CommitOutcome;
using connect::Lineage;
using connect::TableVersion;
using VersionPtr = std::shared_ptr<const TableVersion>;

// What a TwinTable puts into TableVersion::metadata.
struct Twins {
  VersionPtr leading;
  VersionPtr following;
  TwinColumns columns;
};

const Twins& TwinsOf(const TableVersion& version) {
  WEIR_CHECK(version.metadata != nullptr);
  return *static_cast<const Twins*>(version.metadata.get());
}

bool SameSpecs(const TableVersion& leading, const TableVersion& following,
               const std::map<int, int>& ids) {
  return std::ranges::equal(
      leading.spec.fields, following.spec.fields,
      [&](const connect::PartitionField& one, const connect::PartitionField& other) {
        const auto source = ids.find(one.source_id);
        return one.transform == other.transform && one.width == other.width &&
               source != ids.end() && source->second == other.source_id;
      });
}

// For each partition the position that both sides show.
std::optional<connect::Progress> CommonProgress(const TableVersion& leading,
                                                const TableVersion& following) {
  if (!leading.progress || !following.progress) return std::nullopt;
  connect::Progress common = *leading.progress;
  for (auto at = common.partitions.begin(); at != common.partitions.end();) {
    const auto other = following.progress->partitions.find(at->first);
    if (other == following.progress->partitions.end()) {
      at = common.partitions.erase(at);
      continue;
    }
    if (other->second.position < at->second.position) at->second = other->second;
    ++at;
  }
  return common;
}

Lineage Worse(Lineage one, Lineage other) {
  if (one == Lineage::kRolledBack || other == Lineage::kRolledBack) return Lineage::kRolledBack;
  return one == Lineage::kExpired ? one : other;
}

// Whether a side has the commit already.
bool Shows(const TableVersion& side, const connect::TableCommit& commit) {
  if (!side.progress || commit.progress.empty()) return false;
  return std::ranges::all_of(commit.progress, [&](const auto& entry) {
    const auto found = side.progress->partitions.find(entry.first);
    return found != side.progress->partitions.end() &&
           found->second.position >= entry.second.position;
  });
}

// The same files in the terms of the following side.
connect::TableCommit Translated(const connect::TableCommit& commit, const Twins& twins) {
  connect::TableCommit out = commit;
  for (connect::DataFile& file : out.files) {
    file.spec_id = twins.following->spec.spec_id;
    file.sort_order_id = twins.following->sort_order.order_id;
    std::map<int, connect::ColumnMetrics> columns;
    for (auto& [id, metrics] : file.columns) {
      if (const auto found = twins.columns.ids.find(id); found != twins.columns.ids.end()) {
        columns[found->second] = std::move(metrics);
      }
    }
    file.columns = std::move(columns);
  }
  return out;
}

}  // namespace

Result<VersionPtr> TwinTable::Load() {
  auto twins = std::make_shared<Twins>();
  WEIR_ASSIGN_OR_RETURN(twins->leading, leading_->Load());
  WEIR_ASSIGN_OR_RETURN(twins->following, following_->Load());
  const bool same = version_ && TwinsOf(*version_).leading == twins->leading &&
                    TwinsOf(*version_).following == twins->following;
  if (same) return version_;
  // One set of files: both must mean the same by a path below the table.
  if (io::PlainLocation(twins->leading->location) !=
      io::PlainLocation(twins->following->location)) {
    return InvalidInput(
        fmt::format("the two formats of table {} lie in different places: {} and {}",
                    ToString(name()), twins->leading->location, twins->following->location),
        ErrorCode::kTableMismatch);
  }
  twins->columns = PairColumns(twins->leading->schema, twins->following->schema);
  const auto& differs = twins->columns.differs;
  if (differs || !SameSpecs(*twins->leading, *twins->following, twins->columns.ids)) {
    return WithRemedy(
        InvalidInput(fmt::format("the two formats of table {} are not the same table any more: {} "
                                 "differs",
                                 ToString(name()), differs.value_or("the partitioning")),
                     ErrorCode::kTableMismatch),
        "make the same change on the other side, or undo it");
  }
  auto version = std::make_shared<TableVersion>(*twins->leading);
  version->uuid = twins->leading->uuid + "/" + twins->following->uuid;
  version->schema = twins->columns.common;
  version->progress = CommonProgress(*twins->leading, *twins->following);
  version->lineage = Worse(twins->leading->lineage, twins->following->lineage);
  version->metadata = std::move(twins);
  version_ = std::move(version);
  return version_;
}

Result<CommitOutcome> TwinTable::Commit(const TableVersion& base,
                                        const connect::TableCommit& commit) {
  const Twins& twins = TwinsOf(base);
  if (!Shows(*twins.leading, commit)) {
    auto outcome = leading_->Commit(*twins.leading, commit);
    if (!outcome || *outcome != CommitOutcome::kCommitted) return outcome;
  }
  Reach(FailPoint::kApplyBetweenTables);
  if (Shows(*twins.following, commit)) return CommitOutcome::kCommitted;
  return following_->Commit(*twins.following, Translated(commit, twins));
}

// Both are asked before one is changed: neither may be left behind for good.
Status TwinTable::CheckEvolve(const TableVersion& base, const connect::SchemaChange& change) {
  const Twins& twins = TwinsOf(base);
  const auto leading = Lacking(change, twins.leading->schema);
  const auto following = Lacking(change, twins.following->schema);
  if (!leading.empty()) WEIR_TRY(leading_->CheckEvolve(*twins.leading, leading));
  if (!following.empty()) WEIR_TRY(following_->CheckEvolve(*twins.following, following));
  return Ok();
}

// After a crash between the two the pair shows what both have, so the change is asked for again.
Result<CommitOutcome> TwinTable::Evolve(const TableVersion& base,
                                        const connect::SchemaChange& change) {
  WEIR_TRY(CheckEvolve(base, change));
  const Twins& twins = TwinsOf(base);
  if (const auto lacks = Lacking(change, twins.leading->schema); !lacks.empty()) {
    auto outcome = leading_->Evolve(*twins.leading, lacks);
    if (!outcome || *outcome != CommitOutcome::kCommitted) return outcome;
  }
  Reach(FailPoint::kEvolveBetween);
  const auto lacks = Lacking(change, twins.following->schema);
  return lacks.empty() ? CommitOutcome::kCommitted : following_->Evolve(*twins.following, lacks);
}

std::optional<connect::GroupedCommit> TwinTable::Grouped(const TableVersion& base,
                                                         const connect::TableCommit& commit) {
  const VersionPtr& leading = TwinsOf(base).leading;
  if (Shows(*leading, commit)) return std::nullopt;
  auto part = leading_->Grouped(*leading, commit);
  if (part) part->whole = false;
  return part;
}

Status TwinTable::CleanUp() {
  WEIR_TRY(leading_->CleanUp());
  return following_->CleanUp();
}

std::string TwinTable::DataFolder(const TableVersion& version,
                                  const connect::PartitionTuple& partition) const {
  return leading_->DataFolder(*TwinsOf(version).leading, partition);
}

Result<std::vector<connect::DataFile>> TwinTable::LiveFiles(const TableVersion& version) {
  return leading_->LiveFiles(*TwinsOf(version).leading);
}

Result<std::vector<connect::DataFile>> TwinTable::LiveFilesAt(const TableVersion& version,
                                                              std::int64_t snapshot_id) {
  return leading_->LiveFilesAt(*TwinsOf(version).leading, snapshot_id);
}

std::vector<connect::SnapshotInfo> TwinTable::Snapshots(const TableVersion& version) {
  return leading_->Snapshots(*TwinsOf(version).leading);
}

// A side that was not rolled back gets a version that changes nothing, so that both are accepted.
Result<CommitOutcome> TwinTable::AcceptRollback(const TableVersion& base) {
  const Twins& twins = TwinsOf(base);
  auto outcome = leading_->AcceptRollback(*twins.leading);
  if (!outcome || *outcome != CommitOutcome::kCommitted) return outcome;
  return following_->AcceptRollback(*twins.following);
}

Result<std::vector<std::string>> TwinTable::Disagreements(const TableVersion& version) {
  const Twins& twins = TwinsOf(version);
  WEIR_ASSIGN_OR_RETURN(const auto leading, leading_->LiveFiles(*twins.leading));
  WEIR_ASSIGN_OR_RETURN(const auto following, following_->LiveFiles(*twins.following));
  std::map<std::string, std::int64_t> rows;
  std::int64_t difference = 0;
  for (const auto& file : leading) {
    rows[file.path] = file.record_count;
    difference += file.record_count;
  }
  std::size_t shared = 0;
  for (const auto& file : following) {
    shared += rows.contains(file.path) ? 1U : 0U;
    difference -= file.record_count;
  }
  std::vector<std::string> out;
  if (difference != 0) {
    out.push_back(fmt::format("the two formats differ by {} rows", std::abs(difference)));
  } else if (shared != rows.size() || following.size() != rows.size()) {
    out.push_back(
        fmt::format("of {} files, {} are in both formats: somebody rewrote the others on "
                    "one side",
                    rows.size(), shared));
  }
  for (const std::string& column : twins.columns.one_side) {
    out.push_back(fmt::format("column {} is in one format only", column));
  }
  return out;
}

}  // namespace weir::engine
