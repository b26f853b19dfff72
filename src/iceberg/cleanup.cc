#include "iceberg/cleanup.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/fail_point.h"
#include "base/log.h"
#include "iceberg/attempt.h"
#include "iceberg/manifest_list.h"
#include "iceberg/manifest_reader.h"

namespace weir::iceberg {
namespace {

// One spelling for comparisons.
std::string Canonical(std::string_view location) {
  if (auto path = LocalPath(location)) return FileLocation(*path);
  return std::string(location);
}

std::string FolderOf(const std::string& location) {
  return location.substr(0, location.rfind('/'));
}

}  // namespace

std::int64_t Cleanup::NowMs() const { return clock_.Now() / kMicrosPerMilli; }

void Cleanup::Observe(MetadataPtr current) {
  if (current_ == current) return;
  const MetadataPtr before = std::exchange(current_, std::move(current));
  if (before == nullptr) return;
  // Another table, or the catalog was set back: what is gone then is not expired.
  if (before->uuid != current_->uuid || before->last_sequence > current_->last_sequence) {
    waiting_.clear();
    metadata_files_.clear();
    started_ = false;
    return;
  }
  QueueExpired(*before);
  QueueMetadataFiles(*before);
}

void Cleanup::QueueExpired(const TableMetadata& before) {
  if (!current_->FlagProperty("gc.enabled", true)) return;
  for (ExpiredSnapshot& expired : ExpiredBetween(before, *current_)) {
    const std::int64_t due = expired.successor.timestamp_ms + grace_ / kMicrosPerMilli;
    waiting_.push_back({std::move(expired), due});
  }
}

void Cleanup::QueueMetadataFiles(const TableMetadata& before) {
  if (!current_->FlagProperty("write.metadata.delete-after-commit.enabled", false)) return;
  std::set<std::string> kept{current_->file};
  for (const PreviousMetadata& previous : current_->previous) kept.insert(previous.location);
  for (const PreviousMetadata& previous : before.previous) {
    if (!kept.contains(previous.location)) metadata_files_.insert(previous.location);
  }
}

Status Cleanup::Run() {
  if (current_ == nullptr) return Ok();
  if (!started_) WEIR_TRY(StartFromDisk());
  const std::int64_t now_ms = NowMs();
  due_ = 0;
  while (due_ < waiting_.size() && waiting_[due_].due_ms <= now_ms) ++due_;
  const bool sweep = next_sweep_ms_ && *next_sweep_ms_ <= now_ms;
  if (due_ == 0 && metadata_files_.empty() && !sweep) return Ok();
  Reach(FailPoint::kExpireFilesBefore);
  if (due_ > 0) WEIR_TRY(RemoveDue());
  while (!metadata_files_.empty()) {
    WEIR_TRY(files_.Delete(*metadata_files_.begin()));
    metadata_files_.erase(metadata_files_.begin());
  }
  if (sweep) WEIR_TRY(SweepLeftovers());
  Reach(FailPoint::kExpireFilesAfter);
  return Ok();
}

// What an earlier process expired and did not get to remove.
Status Cleanup::StartFromDisk() {
  started_ = true;
  next_sweep_ms_ = NowMs();
  if (current_->previous.empty()) return Ok();
  const std::string& oldest = current_->previous.front().location;
  const auto text = files_.Get(oldest);
  if (!text) return text.error().kind == ErrorKind::kNotFound ? Ok() : Status(text.error());
  const auto before = ParseMetadata(*text, oldest);
  if (!before)
    return Ok();  // compressed, or of another writer's making: the sweep still finds ours
  if ((*before)->uuid != current_->uuid) return Ok();
  QueueExpired(**before);
  QueueMetadataFiles(**before);
  return Ok();
}

Status Cleanup::RemoveDue() {
  std::vector<ExpiredSnapshot> due;
  for (std::size_t i = 0; i < due_; ++i) due.push_back(waiting_[i].expired);
  const Status removed = RemoveExpired(due);
  if (!removed) {
    const ErrorKind kind = removed.error().kind;
    if (kind == ErrorKind::kUnavailable || kind == ErrorKind::kRefused) return removed;
    // Damaged or already gone: nothing more can be worked out from it, now or later.
    log::Warn("files of expired snapshots stay",
              {{"table", current_->location}, {"error", removed.error().ToString()}});
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(due_));
  due_ = 0;
  return Ok();
}

Status Cleanup::RemoveExpired(const std::vector<ExpiredSnapshot>& due) {
  WEIR_ASSIGN_OR_RETURN(const Locations data_files, UnreachableDataFiles(due));
  WEIR_ASSIGN_OR_RETURN(const Locations manifests, UnreachableManifests(due));
  // The lists last: while they are there, everything can be worked out again.
  WEIR_TRY(DeleteAll(data_files));
  WEIR_TRY(DeleteAll(manifests));
  Locations lists;
  for (const ExpiredSnapshot& expired : due) {
    if (!expired.snapshot.manifest_list.empty()) {
      lists.insert(Canonical(expired.snapshot.manifest_list));
    }
  }
  for (const Snapshot* kept : Kept()) lists.erase(Canonical(kept->manifest_list));
  return DeleteAll(lists);
}

// Snapshots whose files must stay: those of the metadata, and expired ones still in their grace.
std::vector<const Snapshot*> Cleanup::Kept() const {
  std::vector<const Snapshot*> kept;
  for (const Snapshot& snapshot : current_->snapshots) kept.push_back(&snapshot);
  for (std::size_t i = due_; i < waiting_.size(); ++i) {
    kept.push_back(&waiting_[i].expired.snapshot);
  }
  return kept;
}

Status Cleanup::AddReachable(const std::vector<const Snapshot*>& snapshots, Locations& reachable) {
  for (const Snapshot* snapshot : snapshots) {
    if (snapshot->manifest_list.empty()) continue;
    WEIR_ASSIGN_OR_RETURN(const std::string bytes, files_.Get(snapshot->manifest_list));
    WEIR_ASSIGN_OR_RETURN(const auto manifests, ReadManifestList(bytes, snapshot->manifest_list));
    for (const ManifestFile& file : manifests) reachable.insert(Canonical(file.path));
  }
  return Ok();
}

// Manifests that an expired snapshot names and its successor does not. On a chain that nobody bent
// they are not named later either; whoever bends chains is found by the look at all kept lists,
// which costs only when there is a candidate.
Result<Cleanup::Locations> Cleanup::UnreachableManifests(const std::vector<ExpiredSnapshot>& due) {
  Locations candidates;
  for (const ExpiredSnapshot& expired : due) {
    Locations before;
    Locations after;
    const Status read = AddReachable({&expired.snapshot}, before);
    if (!read && read.error().kind == ErrorKind::kNotFound) continue;  // removed already
    WEIR_TRY(read);
    WEIR_TRY(AddReachable({&expired.successor}, after));
    std::ranges::set_difference(before, after, std::inserter(candidates, candidates.end()));
  }
  if (candidates.empty()) return candidates;
  Locations reachable;
  WEIR_TRY(AddReachable(Kept(), reachable));
  Locations out;
  std::ranges::set_difference(candidates, reachable, std::inserter(out, out.end()));
  return out;
}

// Files are only deleted by others: Weir appends. Such a file left the table in the successor of a
// snapshot that is now gone.
Result<Cleanup::Locations> Cleanup::UnreachableDataFiles(const std::vector<ExpiredSnapshot>& due) {
  Locations candidates;
  for (const ExpiredSnapshot& expired : due) {
    if (expired.successor.operation() == "append") continue;
    WEIR_TRY(AddDeletedFiles(expired.successor, candidates));
  }
  if (!candidates.empty()) WEIR_TRY(KeepLiveFiles(candidates));
  return candidates;
}

Status Cleanup::AddDeletedFiles(const Snapshot& snapshot, Locations& files) {
  if (snapshot.manifest_list.empty()) return Ok();
  WEIR_ASSIGN_OR_RETURN(const std::string list, files_.Get(snapshot.manifest_list));
  WEIR_ASSIGN_OR_RETURN(const auto manifests, ReadManifestList(list, snapshot.manifest_list));
  for (const ManifestFile& file : manifests) {
    if (file.added_snapshot_id != snapshot.id || file.deleted_files == 0) continue;
    WEIR_ASSIGN_OR_RETURN(const std::string bytes, files_.Get(file.path));
    WEIR_ASSIGN_OR_RETURN(const ReadManifest read, ReadManifestFile(bytes, file, {}));
    for (const ManifestEntry& entry : read.entries) {
      // What lies outside of the table's folder was lent to it; it is not ours to remove.
      if (entry.status == EntryStatus::kDeleted && entry.snapshot_id == snapshot.id &&
          Below(current_->location, entry.path)) {
        files.insert(Canonical(entry.path));
      }
    }
  }
  return Ok();
}

// Takes out of `files` what any kept snapshot shows. Reads all manifests, but only after somebody
// deleted rows, and stops when nothing is left.
Status Cleanup::KeepLiveFiles(Locations& files) {
  Locations seen;
  for (const Snapshot* snapshot : Kept()) {
    if (snapshot->manifest_list.empty()) continue;
    WEIR_ASSIGN_OR_RETURN(const std::string list, files_.Get(snapshot->manifest_list));
    WEIR_ASSIGN_OR_RETURN(const auto manifests, ReadManifestList(list, snapshot->manifest_list));
    for (const ManifestFile& file : manifests) {
      if (!seen.insert(file.path).second) continue;
      WEIR_ASSIGN_OR_RETURN(const std::string bytes, files_.Get(file.path));
      WEIR_ASSIGN_OR_RETURN(const ReadManifest read, ReadManifestFile(bytes, file, {}));
      for (const ManifestEntry& entry : read.entries) {
        if (entry.status != EntryStatus::kDeleted) files.erase(Canonical(entry.path));
      }
      if (files.empty()) return Ok();
    }
  }
  return Ok();
}

// Files of our own tries that nothing names, as a crash or a lost swap leaves them behind.
Status Cleanup::SweepLeftovers() {
  const std::int64_t version = VersionOfMetadata(current_->file);
  const std::int64_t now_ms = NowMs();
  Locations leftovers;
  bool some_are_young = false;
  WEIR_ASSIGN_OR_RETURN(const auto objects, files_.List(FolderOf(current_->file)));
  for (const io::ObjectInfo& object : objects) {
    const auto own = VersionOfOwnFile(object.key);
    if (!own || *own > version) continue;
    leftovers.insert(Canonical(object.key));
  }
  leftovers.erase(Canonical(current_->file));
  for (const PreviousMetadata& previous : current_->previous) {
    leftovers.erase(Canonical(previous.location));
  }
  const bool keeps_metadata =
      !current_->FlagProperty("write.metadata.delete-after-commit.enabled", false);
  if (keeps_metadata) std::erase_if(leftovers, [](auto& l) { return l.ends_with(".json"); });
  if (!leftovers.empty()) {
    Locations reachable;
    const std::vector<const Snapshot*> kept = Kept();
    WEIR_TRY(AddReachable(kept, reachable));
    for (const Snapshot* snapshot : kept) reachable.insert(Canonical(snapshot->manifest_list));
    std::erase_if(leftovers, [&](const std::string& l) { return reachable.contains(l); });
  }
  for (const io::ObjectInfo& object : objects) {
    if (object.modified_ms <= now_ms - grace_ / kMicrosPerMilli) continue;
    some_are_young = leftovers.erase(Canonical(object.key)) > 0 || some_are_young;
  }
  next_sweep_ms_.reset();
  if (some_are_young) next_sweep_ms_ = now_ms + grace_ / kMicrosPerMilli + 1;
  if (!leftovers.empty()) {
    log::Info(
        "removing leftovers of unfinished commits",
        {{"files", static_cast<std::int64_t>(leftovers.size())}, {"table", current_->location}});
  }
  return DeleteAll(leftovers);
}

Status Cleanup::DeleteAll(const Locations& locations) {
  for (const std::string& location : locations) WEIR_TRY(files_.Delete(location));
  return Ok();
}

}  // namespace weir::iceberg
