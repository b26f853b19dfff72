#include "delta/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/fail_point.h"
#include "base/log.h"
#include "connect/partition_path.h"
#include "delta/action_json.h"
#include "delta/commit_builder.h"
#include "delta/data_file_add.h"
#include "delta/head.h"
#include "delta/log_name.h"
#include "delta/protocol_check.h"
#include "delta/schema_change.h"

namespace weir::delta {
namespace {

using connect::CommitOutcome;
using connect::TableVersion;

// A log that nobody looked at for so long may have been cleaned up beyond what we know.
constexpr Micros kLookAnewAfter = 600 * kMicrosPerSecond;
// Own commits are seldom further back; then progress counts as one whose commit is gone.
constexpr std::int64_t kMostLookedBack = 20'000;
constexpr std::size_t kMostShown = 200;

}  // namespace

DeltaTable::DeltaTable(connect::TableName name, std::string pipeline, TablePlace place,
                       Clock& clock)
    : name_(std::move(name)),
      place_(std::move(place)),
      clock_(clock),
      reader_(*place_.store, place_.folder),
      maintenance_(*place_.store, place_.folder, clock),
      tracker_(std::move(pipeline)) {}

Result<std::shared_ptr<const TableVersion>> DeltaTable::Load() {
  Status loaded = Follow();
  if (loaded) loaded = MakeVersion();
  if (!loaded) return WithContext(std::move(loaded).error(), "table " + ToString(name_));
  return version_;
}

Status DeltaTable::Follow() {
  if (!state_ || clock_.Monotonic() - looked_at_ > kLookAnewAfter) return ReadAnew();
  for (;;) {
    auto commit = reader_.ReadCommit(state_->version() + 1);
    if (!commit) return std::move(commit).error();
    if (!*commit) break;
    tracker_.Observe(state_->version() + 1, **commit);
    TellOfRemovals(state_->version() + 1, **commit);
    Status applied = state_->Apply(state_->version() + 1, **std::move(commit));
    if (!applied) {
      state_.reset();  // half of a version is none
      return applied;
    }
  }
  looked_at_ = clock_.Monotonic();
  return Ok();
}

// Rows of ours that others take out are theirs to take, and are not written again. But a person
// should hear of it; who compacts takes none.
void DeltaTable::TellOfRemovals(std::int64_t version, const LogCommit& commit) const {
  const CommitInfo info = commit.info.value_or(CommitInfo{});
  if (tracker_.pipeline().empty() || info.engine.starts_with("weir")) return;
  const auto files = std::ranges::count(commit.removes, true, &RemoveFile::data_change);
  if (files == 0) return;
  log::Warn("another writer took rows out of the table; they are not written again",
            {{"table", ToString(name_)},
             {"version", version},
             {"operation", Printable(info.operation)},
             {"files", files}});
}

Status DeltaTable::ReadAnew() {
  version_.reset();
  state_.reset();
  tracker_.Reset();
  auto state = reader_.Read();
  if (!state) return std::move(state).error();
  state_ = *std::move(state);
  looked_at_ = clock_.Monotonic();
  Status found = FindOwnHistory();
  if (!found) state_.reset();
  return found;
}

// From the last own commit on, which may lie behind the checkpoint that the state was read from.
Status DeltaTable::FindOwnHistory() {
  if (!tracker_.HasOwn(state_->transactions())) return Ok();
  std::vector<LogCommit> since;  // newest first
  bool found = false;
  std::int64_t version = state_->version();
  for (; version >= 0 && state_->version() - version < kMostLookedBack && !found; --version) {
    WEIR_ASSIGN_OR_RETURN(auto commit, reader_.ReadCommit(version));
    if (!commit) break;
    found = tracker_.IsOwn(*commit);
    commit->adds.clear();
    commit->removes.clear();
    since.push_back(*std::move(commit));
  }
  if (!found) tracker_.StartBehind(version);
  for (; !since.empty(); since.pop_back()) tracker_.Observe(++version, since.back());
  return Ok();
}

Status DeltaTable::MakeVersion() {
  if (version_ && HeadOf(*version_).version == state_->version()) return Ok();
  auto head = std::make_shared<Head>();
  head->version = state_->version();
  head->protocol = state_->protocol();
  head->metadata = state_->metadata();
  WEIR_TRY(CheckReadable(head->protocol, *head->metadata));
  if (version_ && HeadOf(*version_).metadata == head->metadata) {
    head->layout = HeadOf(*version_).layout;
  } else {
    WEIR_ASSIGN_OR_RETURN(head->layout, LayoutOf(*head->metadata));
  }
  // Who only reads may look at what he cannot write.
  if (!tracker_.pipeline().empty()) {
    WEIR_TRY(CheckWritable(head->protocol, *head->metadata, *head->layout));
    WEIR_TRY(CheckStillFits(*head->layout));
  }
  auto version = std::make_shared<TableVersion>();
  version->uuid = head->metadata->id;
  version->location = place_.location + "/" + place_.folder;
  version->format_version = head->protocol.writer_version;
  version->schema = head->layout->schema;
  version->spec = head->layout->spec;
  for (const auto& [key, value] : head->metadata->configuration) {
    if (value) version->properties[key] = *value;
  }
  // The commit that made the table is no snapshot: nothing is in it.
  if (head->version > 0 || !state_->files().empty()) version->snapshot_id = head->version;
  version->total_records = state_->records();
  version->progress = tracker_.ProgressOf(state_->transactions());
  if (version->progress) version->lineage = tracker_.lineage();
  if (!bound_) bound_ = head->layout;
  version->metadata = std::move(head);
  version_ = std::move(version);
  return Ok();
}

Status DeltaTable::CheckStillFits(const Layout& layout) {
  const auto problem = bound_ ? WhyNotFitting(*bound_, layout) : std::nullopt;
  if (!problem) return Ok();
  return WithRemedy(
      Refused(fmt::format("version {} of the table changed what files were written for: {}",
                          state_->version(), *problem),
              ErrorCode::kTableMismatch),
      "undo that change, or change the contract and start again");
}

Result<CommitOutcome> DeltaTable::Commit(const TableVersion& base,
                                         const connect::TableCommit& commit) {
  if (base.lineage == connect::Lineage::kRolledBack) {
    return Refused(fmt::format("table {} was restored to a version before the progress of {}",
                               ToString(name_), tracker_.pipeline()),
                   ErrorCode::kTableRolledBack);
  }
  return Try(base, commit);
}

// The same positions once more, in a version behind the RESTORE: from here on nothing is lost.
Result<CommitOutcome> DeltaTable::AcceptRollback(const TableVersion& base) {
  connect::TableCommit commit;
  if (base.progress) commit.progress = base.progress->partitions;
  return Try(base, commit);
}

Result<CommitOutcome> DeltaTable::Try(const TableVersion& base,
                                      const connect::TableCommit& commit) {
  WEIR_ASSIGN_OR_RETURN(const bool stands, StandsAt(base));
  if (!stands) return CommitOutcome::kConflict;
  return Land(HeadOf(base).version + 1, BuildCommit(base, commit,
                                                    {.state = *state_,
                                                     .tracker = tracker_,
                                                     .now_ms = clock_.Now() / kMicrosPerMilli}));
}

Status DeltaTable::CheckEvolve(const TableVersion& base, const connect::SchemaChange& change) {
  auto changed = ChangeColumns(HeadOf(base), change, 0);
  if (!changed) return WithContext(std::move(changed).error(), "table " + ToString(name_));
  return Ok();
}

Result<CommitOutcome> DeltaTable::Evolve(const TableVersion& base,
                                         const connect::SchemaChange& change) {
  WEIR_ASSIGN_OR_RETURN(const bool stands, StandsAt(base));
  if (!stands) return CommitOutcome::kConflict;
  // From here on files are written for what the table becomes.
  bound_ = nullptr;
  return Land(HeadOf(base).version + 1,
              ChangeColumns(HeadOf(base), change, clock_.Now() / kMicrosPerMilli));
}

// Whether the base is the newest version that we know of.
Result<bool> DeltaTable::StandsAt(const TableVersion& base) {
  if (!state_ || state_->version() < HeadOf(base).version) WEIR_TRY(Follow());
  return state_->version() == HeadOf(base).version;
}

// One put; what we made is what Load would read, so the next commit need not parse it.
Result<CommitOutcome> DeltaTable::Land(std::int64_t version, Result<LogCommit> built) {
  if (!built) return WithContext(std::move(built).error(), "table " + ToString(name_));
  const std::string text = CommitToText(*built);
  Reach(FailPoint::kApplySwapBefore);
  auto outcome = Put(version, text);
  Reach(FailPoint::kApplySwapAfter);
  if (!outcome) return WithContext(std::move(outcome).error(), "table " + ToString(name_));
  if (*outcome != CommitOutcome::kCommitted) return outcome;
  tracker_.Observe(version, *built);
  if (!state_->Apply(version, *std::move(built)) || !MakeVersion()) state_.reset();
  looked_at_ = clock_.Monotonic();
  return outcome;
}

Result<CommitOutcome> DeltaTable::Put(std::int64_t version, const std::string& text) {
  const std::string key = reader_.KeyOf(CommitName(version));
  const auto put = place_.store->PutIfAbsent(key, text);
  if (!put && put.error().kind == ErrorKind::kCommitUnknown) return CommitOutcome::kUnknown;
  if (!put) return put.error();
  if (*put == io::PutOutcome::kExists) {
    // A store may have answered our own first try with a failure and then tried again. The
    // attempt's id is in the bytes, so equal ones are ours.
    const auto there = place_.store->Get(key);
    if (!there && there.error().kind != ErrorKind::kNotFound) return CommitOutcome::kUnknown;
    if (!there || *there != text) return CommitOutcome::kConflict;
  }
  return Confirm(version);
}

// A slow writer may have put a version that others made, passed and cleaned up long ago: the slot
// was free again, but the table is elsewhere. Logs are cleaned oldest first, so where the version
// before is still there, this one never was.
Result<CommitOutcome> DeltaTable::Confirm(std::int64_t version) {
  // It was there before our put, which made it durable with our own name.
  const auto before = place_.store->IsThere(reader_.KeyOf(CommitName(version - 1)));
  if (!before) return CommitOutcome::kUnknown;
  if (*before) return CommitOutcome::kCommitted;
  const auto listing = reader_.List();
  if (!listing) return CommitOutcome::kUnknown;
  const bool follows_checkpoint = listing->checkpoints.contains(version - 1);
  const bool is_passed =
      !listing->checkpoints.empty() && listing->checkpoints.rbegin()->first >= version;
  if (follows_checkpoint && !is_passed) return CommitOutcome::kCommitted;
  log::Warn("a commit came too late: the log has moved on without it",
            {{"table", ToString(name_)}, {"version", version}});
  state_.reset();
  const Status deleted = place_.store->Delete(reader_.KeyOf(CommitName(version)));
  return deleted ? CommitOutcome::kConflict : CommitOutcome::kUnknown;
}

Status DeltaTable::CleanUp() {
  if (!state_ || !version_ || tracker_.pipeline().empty()) return Ok();
  return maintenance_.Run(*state_);
}

std::string DeltaTable::DataFolder(const TableVersion& version,
                                   const connect::PartitionTuple& partition) const {
  const std::string path = connect::PartitionPath(version.schema, version.spec, partition);
  return path.empty() ? "data" : "data/" + path;
}

Result<std::vector<connect::DataFile>> DeltaTable::LiveFiles(const TableVersion& version) {
  if (state_ && state_->version() == HeadOf(version).version) return FilesOf(*state_);
  return LiveFilesAt(version, HeadOf(version).version);
}

Result<std::vector<connect::DataFile>> DeltaTable::LiveFilesAt(const TableVersion&,
                                                               std::int64_t snapshot_id) {
  auto state = reader_.Read(snapshot_id);
  if (!state) return WithContext(std::move(state).error(), "table " + ToString(name_));
  return FilesOf(*state);
}

Result<std::vector<connect::DataFile>> DeltaTable::FilesOf(const TableState& state) {
  WEIR_ASSIGN_OR_RETURN(const auto layout, LayoutOf(*state.metadata()));
  std::vector<connect::DataFile> out;
  for (const auto& [path, file] : state.files()) {
    WEIR_ASSIGN_OR_RETURN(connect::DataFile one,
                          DataFileOf(*layout, file, *place_.store, place_.folder,
                                     place_.location + "/" + place_.folder));
    out.push_back(std::move(one));
  }
  std::ranges::sort(out, {}, &connect::DataFile::path);
  return out;
}

std::vector<connect::SnapshotInfo> DeltaTable::Snapshots(const TableVersion& version) {
  std::vector<connect::SnapshotInfo> out;
  for (std::int64_t at = HeadOf(version).version; at > 0 && out.size() < kMostShown; --at) {
    auto commit = reader_.ReadCommit(at);
    if (!commit || !*commit) break;
    out.push_back(InfoOf(at, **commit));
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace weir::delta
