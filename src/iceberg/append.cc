#include "iceberg/append.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/log.h"
#include "base/random.h"
#include "iceberg/expiry.h"
#include "iceberg/manifest_list.h"
#include "iceberg/manifest_merge.h"
#include "iceberg/manifest_reader.h"
#include "iceberg/manifest_writer.h"
#include "iceberg/metadata_edit.h"
#include "iceberg/progress.h"
#include "iceberg/replacement.h"
#include "iceberg/summary.h"

namespace weir::iceberg {
namespace {

class Builder {
 public:
  Builder(Files& files, const AppendInput& input, std::set<std::string>& unmergeable)
      : files_(files),
        input_(input),
        base_(input.base),
        unmergeable_(unmergeable),
        replacement_(input.base, input.commit.replaced) {}

  Result<BuiltAppend> Build() {
    snapshot_.id = FreshId();
    snapshot_.sequence = base_.last_sequence + 1;
    snapshot_.timestamp_ms = NextTime();
    snapshot_.schema_id = base_.current_schema_id;
    if (base_.current_snapshot_id) snapshot_.parent_id = base_.current_snapshot_id;
    WEIR_TRY(WriteManifests());
    WEIR_TRY(TakeExisting());
    MergeSome();
    WriteList();
    WEIR_TRY(WriteMetadata());
    out_.snapshot_id = snapshot_.id;
    return std::move(out_);
  }

 private:
  // The wanted id, unless the table holds it: then a rolled back commit is made again.
  std::int64_t FreshId() const {
    std::int64_t id = input_.commit.snapshot_id;
    while (id <= 0 || base_.FindSnapshot(id) != nullptr) {
      id = static_cast<std::int64_t>(EntropyU64() >> 1);
    }
    return id;
  }

  // Clocks jump and differ; logs of times must not go backwards, and readers order by them.
  std::int64_t NextTime() const {
    std::int64_t last = base_.last_updated_ms;
    if (const Snapshot* head = base_.head()) last = std::max(last, head->timestamp_ms);
    return std::max(input_.now_ms, last + 1);
  }

  std::string NextManifestLocation() {
    return fmt::format("{}/{}", input_.metadata_folder,
                       ManifestName(input_.attempt, manifest_number_++));
  }

  // One manifest for each spec that files were written under; usually one in all. Rows that the
  // next commit will replace get one of their own, so that the others are not written again.
  Status WriteManifests() {
    std::map<std::pair<int, bool>, std::vector<const connect::DataFile*>> groups;
    for (const connect::DataFile& file : input_.commit.files) {
      bool passing = false;
      if (!replacement_.empty()) {
        WEIR_ASSIGN_OR_RETURN(const auto under, replacement_.Under(file.spec_id));
        passing = under.Replaces(file.partition);
      }
      groups[{file.spec_id, passing}].push_back(&file);
    }
    for (const auto& [key, group] : groups) {
      const int spec_id = key.first;
      const connect::PartitionSpec* spec = base_.FindSpec(spec_id);
      if (spec == nullptr) {
        return InvalidInput(
            fmt::format("the table has no partition spec {}, under which {} was "
                        "written",
                        spec_id, group.front()->path));
      }
      WEIR_ASSIGN_OR_RETURN(const PartitionType type, PartitionTypeOf(base_, *spec));
      ManifestWriter writer(base_, *spec, type);
      for (const connect::DataFile* file : group) {
        if (file->partition.size() != type.size()) {
          return InvalidInput(fmt::format("{} has {} partition values, its spec has {}", file->path,
                                          file->partition.size(), type.size()));
        }
        ManifestEntry entry = EntryOf(*file, base_.location);
        entry.snapshot_id = snapshot_.id;
        writer.Add(entry);
      }
      AddManifest(writer.Finish(snapshot_.id, snapshot_.sequence));
    }
    counts_.created = out_.manifests.size();
    return Ok();
  }

  void AddManifest(WrittenManifest manifest) {
    manifest.file.path = NextManifestLocation();
    out_.files.push_back({manifest.file.path, std::move(manifest.bytes)});
    out_.manifests.push_back(std::move(manifest.file));
  }

  // What the head has, without manifests that only tell of files deleted earlier.
  Status TakeExisting() {
    for (const ManifestFile& file : input_.manifests) {
      if (!file.may_have_live_files()) {
        ++counts_.replaced;
        continue;
      }
      if (!replacement_.empty() && file.content == ManifestContent::kData) {
        WEIR_ASSIGN_OR_RETURN(const bool rewritten, TakeOutReplaced(file));
        if (rewritten) continue;
      }
      existing_.push_back(file);
      if (!file.added_files || !file.existing_files || !file.added_rows || !file.existing_rows) {
        WEIR_TRY(CountFiles(existing_.back()));
      }
    }
    return Ok();
  }

  // Writes a manifest again without the files whose rows are replaced; they are noted as deleted.
  Result<bool> TakeOutReplaced(const ManifestFile& file) {
    WEIR_ASSIGN_OR_RETURN(const auto under, replacement_.Under(file.spec_id));
    if (!under.MayReplaceIn(file)) return false;
    WEIR_ASSIGN_OR_RETURN(const auto bytes, files_.GetImmutable(file.path));
    WEIR_ASSIGN_OR_RETURN(ReadManifest read, ReadManifestFile(*bytes, file, under.type()));
    auto leaves = [&](const ManifestEntry& entry) {
      return entry.status != EntryStatus::kDeleted && under.Replaces(entry.partition);
    };
    if (std::ranges::none_of(read.entries, leaves)) return false;
    if (read.has_unknown_fields)
      return Unsupported(file.path + " has fields that a rewrite of it would lose",
                         ErrorCode::kTableUnsupported);
    ManifestWriter writer(base_, under.spec(), under.type());
    for (ManifestEntry& entry : read.entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      if (leaves(entry)) {
        removed_.push_back(DataFileOf(entry, file.spec_id, base_.location));
        entry.status = EntryStatus::kDeleted;
        entry.snapshot_id = snapshot_.id;
      } else {
        entry.status = EntryStatus::kExisting;
      }
      writer.Add(entry);
    }
    AddManifest(writer.Finish(snapshot_.id, snapshot_.sequence));
    ++counts_.created;
    ++counts_.replaced;
    return true;
  }

  // Lists of format version 1 may lack counts, which ours must have. A zero in place of a number
  // that is not known would hide the files.
  Status CountFiles(ManifestFile& file) {
    WEIR_ASSIGN_OR_RETURN(const auto bytes, files_.GetImmutable(file.path));
    WEIR_ASSIGN_OR_RETURN(const ReadManifest read, ReadManifestFile(*bytes, file, {}));
    std::int64_t files[3] = {};
    std::int64_t rows[3] = {};
    for (const ManifestEntry& entry : read.entries) {
      ++files[static_cast<std::size_t>(entry.status)];
      rows[static_cast<std::size_t>(entry.status)] += entry.record_count;
    }
    file.existing_files = files[0];
    file.added_files = files[1];
    file.deleted_files = files[2];
    file.existing_rows = rows[0];
    file.added_rows = rows[1];
    file.deleted_rows = rows[2];
    return Ok();
  }

  void MergeSome() {
    const std::vector<std::size_t> chosen =
        PlanMerge(existing_, MergeSettingsOf(base_), unmergeable_);
    std::vector<const ManifestFile*> group;
    group.reserve(chosen.size());
    for (std::size_t i : chosen) group.push_back(&existing_[i]);
    if (!group.empty()) {
      auto merged = Merge(files_, base_, group, snapshot_.id, snapshot_.sequence, unmergeable_);
      if (merged && *merged) {
        AddManifest(**std::move(merged));
        ++counts_.created;
        counts_.replaced += chosen.size();
        for (std::size_t i = chosen.size(); i-- > 0;) {
          existing_.erase(existing_.begin() + static_cast<std::ptrdiff_t>(chosen[i]));
        }
      } else if (!merged) {
        log::Warn("manifests could not be merged", {{"error", merged.error().ToString()}});
      }
    }
    counts_.kept = existing_.size();
    for (ManifestFile& file : existing_) out_.manifests.push_back(std::move(file));
  }

  void WriteList() {
    snapshot_.manifest_list = fmt::format("{}/{}", input_.metadata_folder,
                                          ManifestListName(input_.attempt, snapshot_.id));
    out_.files.push_back(
        {snapshot_.manifest_list, WriteManifestList({.snapshot_id = snapshot_.id,
                                                     .parent_id = snapshot_.parent_id,
                                                     .sequence = snapshot_.sequence},
                                                    out_.manifests)});
  }

  Status WriteMetadata() {
    snapshot_.summary = SummaryOf(base_.head(), input_.commit.files, removed_, counts_);
    snapshot_.summary["engine-name"] = "weir";
    for (const auto& [key, value] : input_.commit.summary) snapshot_.summary[key] = value;
    MetadataEdit edit(base_);
    if (!input_.pipeline.empty()) {
      const std::string text = ProgressToText(NewProgress());
      snapshot_.summary[ProgressKey(input_.pipeline)] = text;
      edit.SetProperty(ProgressKey(input_.pipeline), text);
      edit.SetTag(ProgressTag(input_.pipeline), snapshot_.id);
    }
    edit.AppendSnapshot(snapshot_);
    edit.RemoveSnapshots(SnapshotsToExpire(base_, input_.commit.expiry,
                                           ProgressTag(input_.pipeline), input_.now_ms));
    WEIR_ASSIGN_OR_RETURN(auto finished, edit.Finish(input_.metadata_location));
    out_.metadata = std::move(finished.metadata);
    out_.text = std::move(finished.text);
    return Ok();
  }

  connect::Progress NewProgress() const {
    connect::Progress progress = input_.progress.value_or(connect::Progress{});
    for (const auto& [partition, part] : input_.commit.progress) {
      progress.partitions[partition] = part;
    }
    progress.snapshot_id = snapshot_.id;
    progress.sequence = snapshot_.sequence;
    progress.total_records = snapshot_.Total("total-records").value_or(0);
    return progress;
  }

  Files& files_;
  const AppendInput& input_;
  const TableMetadata& base_;
  std::set<std::string>& unmergeable_;
  Replacement replacement_;
  std::vector<connect::DataFile> removed_;
  Snapshot snapshot_;
  ManifestCounts counts_;
  std::vector<ManifestFile> existing_;
  int manifest_number_ = 0;
  BuiltAppend out_;
};

}  // namespace

Result<BuiltAppend> BuildAppend(Files& files, const AppendInput& input,
                                std::set<std::string>& unmergeable) {
  return Builder(files, input, unmergeable).Build();
}

}  // namespace weir::iceberg
