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

std::uint64_t HashOf(const std::string& location) { return std::hash<std::string>()(location); }

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
  if (of_catalog_) return;
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
  Status removed = RemoveExpired(due);
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
  WEIR_TRY(DeleteAll(lists));
  for (const ExpiredSnapshot& expired : due) lists_.erase(expired.snapshot.manifest_list);
  return Ok();
}

// Snapshots whose files must stay: those of the metadata, and expired ones still in their grace.
std::vector<const Snapshot*> Cleanup::Kept() const {
  std::vector<const Snapshot*> kept;
  for (const auto& stored : current_->snapshots) kept.push_back(&stored->snapshot);
  for (std::size_t i = due_; i < waiting_.size(); ++i) {
    kept.push_back(&waiting_[i].expired.snapshot);
  }
  return kept;
}

Result<std::vector<ManifestFile>> Cleanup::ReadList(const Snapshot& snapshot) {
  if (snapshot.manifest_list.empty()) return std::vector<ManifestFile>();
  WEIR_ASSIGN_OR_RETURN(const auto bytes, files_.GetImmutable(snapshot.manifest_list));
  return ReadManifestList(*bytes, snapshot.manifest_list);
}

Result<const Cleanup::Hashes*> Cleanup::ManifestsOf(const Snapshot& snapshot) {
  const auto known = lists_.find(snapshot.manifest_list);
  if (known != lists_.end()) return &known->second;
  WEIR_ASSIGN_OR_RETURN(const auto manifests, ReadList(snapshot));
  Hashes hashes;
  for (const ManifestFile& file : manifests) hashes.push_back(HashOf(Canonical(file.path)));
  std::ranges::sort(hashes);
  return &(lists_[snapshot.manifest_list] = std::move(hashes));
}

Status Cleanup::KeepReachable(Locations& locations) {
  std::unordered_map<std::uint64_t, std::string> left;
  for (const std::string& location : locations) left.emplace(HashOf(location), location);
  for (const Snapshot* snapshot : Kept()) {
    if (left.empty()) break;
    WEIR_ASSIGN_OR_RETURN(const Hashes* manifests, ManifestsOf(*snapshot));
    for (std::uint64_t hash : *manifests) left.erase(hash);
  }
  Locations out;
  for (auto& [hash, location] : left) out.insert(std::move(location));
  locations = std::move(out);
  return Ok();
}

// Manifests that an expired snapshot names and its successor does not. On a chain that nobody bent
// they are not named later either; whoever bends chains is found by the look at all kept lists.
Result<Cleanup::Locations> Cleanup::UnreachableManifests(const std::vector<ExpiredSnapshot>& due) {
  Locations candidates;
  for (const ExpiredSnapshot& expired : due) {
    const auto before = ManifestsOf(expired.snapshot);
    if (!before && before.error().kind == ErrorKind::kNotFound) continue;  // removed already
    if (!before) return before.error();
    WEIR_ASSIGN_OR_RETURN(const Hashes* after, ManifestsOf(expired.successor));
    if (std::ranges::includes(*after, **before)) continue;
    WEIR_ASSIGN_OR_RETURN(const auto manifests, ReadList(expired.snapshot));
    for (const ManifestFile& file : manifests) {
      std::string location = Canonical(file.path);
      if (!std::ranges::binary_search(*after, HashOf(location))) {
        candidates.insert(std::move(location));
      }
    }
  }
  if (!candidates.empty()) WEIR_TRY(KeepReachable(candidates));
  return candidates;
}

// Files leave a table by others' hands, or with rows that a commit of ours replaced. Such a file
// left in the successor of a snapshot that is now gone.
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
  WEIR_ASSIGN_OR_RETURN(const auto manifests, ReadList(snapshot));
  for (const ManifestFile& file : manifests) {
    if (file.added_snapshot_id != snapshot.id || file.deleted_files == 0) continue;
    WEIR_ASSIGN_OR_RETURN(const auto bytes, files_.GetImmutable(file.path));
    WEIR_ASSIGN_OR_RETURN(const ReadManifest read, ReadManifestFile(*bytes, file, {}));
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

// What the manifests of a snapshot show goes from shown_ to `shown`, or is read where it is new.
Status Cleanup::CollectShown(const Snapshot& snapshot, ShownFiles& shown) {
  WEIR_ASSIGN_OR_RETURN(const Hashes* manifests, ManifestsOf(snapshot));
  bool some_are_new = false;
  for (const std::uint64_t manifest : *manifests) {
    if (shown.contains(manifest)) continue;
    auto known = shown_.extract(manifest);
    if (known) {
      shown.insert(std::move(known));
    } else {
      some_are_new = true;
    }
  }
  if (!some_are_new) return Ok();
  WEIR_ASSIGN_OR_RETURN(const auto files, ReadList(snapshot));
  for (const ManifestFile& file : files) {
    const std::uint64_t manifest = HashOf(Canonical(file.path));
    if (shown.contains(manifest)) continue;
    WEIR_ASSIGN_OR_RETURN(const auto bytes, files_.GetImmutable(file.path));
    WEIR_ASSIGN_OR_RETURN(const ReadManifest read, ReadManifestFile(*bytes, file, {}));
    Hashes& live = shown[manifest];
    for (const ManifestEntry& entry : read.entries)
      if (entry.status != EntryStatus::kDeleted) live.push_back(HashOf(Canonical(entry.path)));
    std::ranges::sort(live);
  }
  return Ok();
}

// Takes out of `files` what any kept snapshot shows. A manifest is read once and never changes, so
// that a table whose every commit replaces rows is not read anew by each clean-up.
Status Cleanup::KeepLiveFiles(Locations& files) {
  ShownFiles shown;
  Status collected = Ok();
  for (const Snapshot* snapshot : Kept()) {
    collected = CollectShown(*snapshot, shown);
    if (!collected) break;
  }
  shown_ = std::move(shown);  // forgets manifests that nothing names any more
  WEIR_TRY(std::move(collected));
  std::erase_if(files, [&](const std::string& location) {
    const std::uint64_t hash = HashOf(location);
    return std::ranges::any_of(shown_, [&](const auto& manifest) {
      return std::ranges::binary_search(manifest.second, hash);
    });
  });
  return Ok();
}

// Files of our own tries that nothing names, as a crash or a lost swap leaves them behind.
Status Cleanup::SweepLeftovers() {
  // Where nothing may be removed, there may be branches of the whole catalog that we do not see.
  if (!current_->FlagProperty("gc.enabled", true)) return next_sweep_ms_.reset(), Ok();
  const std::int64_t version =
      of_catalog_ ? current_->last_sequence : VersionOfMetadata(current_->file);
  const std::int64_t young_ms = NowMs() - grace_ / kMicrosPerMilli;
  const bool keeps_metadata =
      !current_->FlagProperty("write.metadata.delete-after-commit.enabled", false);
  Locations named{Canonical(current_->file)};
  for (const PreviousMetadata& previous : current_->previous) {
    named.insert(Canonical(previous.location));
  }
  for (const Snapshot* kept : Kept()) named.insert(Canonical(kept->manifest_list));
  Locations leftovers;
  bool some_are_young = false;
  WEIR_ASSIGN_OR_RETURN(const auto objects, files_.List(FolderOf(current_->file)));
  for (const io::ObjectInfo& object : objects) {
    const auto own = VersionOfOwnFile(object.key);
    if (!own || *own > version || (keeps_metadata && object.key.ends_with(".json"))) continue;
    std::string location = Canonical(object.key);
    if (named.contains(location)) continue;
    if (object.modified_ms > young_ms) {
      some_are_young = true;
    } else {
      leftovers.insert(std::move(location));
    }
  }
  next_sweep_ms_.reset();
  if (some_are_young) next_sweep_ms_ = NowMs() + grace_ / kMicrosPerMilli + 1;
  if (!leftovers.empty()) WEIR_TRY(KeepReachable(leftovers));
  if (!leftovers.empty()) {
    log::Info(
        "removing leftovers of unfinished commits",
        {{"files", static_cast<std::int64_t>(leftovers.size())}, {"table", current_->location}});
  }
  return DeleteAll(leftovers);
}

Status Cleanup::DeleteAll(const Locations& locations) { return files_.DeleteAll(locations); }

}  // namespace weir::iceberg
