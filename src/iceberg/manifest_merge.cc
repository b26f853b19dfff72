#include "iceberg/manifest_merge.h"

#include <algorithm>
#include <map>

#include "iceberg/manifest_reader.h"

namespace weir::iceberg {
namespace {

// A list holds manifests of about three sizes below the target; together they stay under the count.
constexpr std::int64_t kTiers = 3;

std::int64_t FanOut(const MergeSettings& settings) {
  return std::max<std::int64_t>(2, settings.min_count / kTiers);
}

// 0 for manifests of fewer files than the fan-out, 1 for fewer than its square, ...
int TierOf(const ManifestFile& file, std::int64_t fan_out) {
  std::int64_t count = *file.added_files + *file.existing_files + file.deleted_files.value_or(0);
  int tier = 0;
  for (; count >= fan_out; count /= fan_out) ++tier;
  return tier;
}

bool IsCandidate(const ManifestFile& file, const MergeSettings& settings) {
  return file.content == ManifestContent::kData && file.length < settings.target_bytes &&
         !file.key_metadata && file.added_files && file.existing_files;
}

}  // namespace

MergeSettings MergeSettingsOf(const TableMetadata& metadata) {
  MergeSettings settings;
  settings.enabled = metadata.FlagProperty("commit.manifest-merge.enabled", true);
  settings.target_bytes =
      metadata.NumberProperty("commit.manifest.target-size-bytes", settings.target_bytes);
  settings.min_count =
      metadata.NumberProperty("commit.manifest.min-count-to-merge", settings.min_count);
  return settings;
}

std::vector<std::size_t> PlanMerge(const std::vector<ManifestFile>& manifests,
                                   const MergeSettings& settings,
                                   const std::set<std::string>& excluded) {
  if (!settings.enabled) return {};
  const std::int64_t fan_out = FanOut(settings);
  std::map<std::pair<int, int>, std::vector<std::size_t>> groups;  // by tier, then spec
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const ManifestFile& file = manifests[i];
    if (!IsCandidate(file, settings) || excluded.contains(file.path)) continue;
    groups[{TierOf(file, fan_out), file.spec_id}].push_back(i);
  }
  for (const auto& [key, group] : groups) {
    if (static_cast<std::int64_t>(group.size()) < fan_out) continue;
    std::vector<std::size_t> chosen;
    std::int64_t bytes = 0;
    for (std::size_t i : group) {
      if (!chosen.empty() && bytes + manifests[i].length > settings.target_bytes) break;
      bytes += manifests[i].length;
      chosen.push_back(i);
    }
    if (chosen.size() > 1) return chosen;
  }
  return {};
}

Result<std::optional<WrittenManifest>> Merge(Files& files, const TableMetadata& metadata,
                                             const std::vector<const ManifestFile*>& group,
                                             std::int64_t snapshot_id, std::int64_t sequence,
                                             std::set<std::string>& excluded) {
  const std::optional<WrittenManifest> nothing;
  const connect::PartitionSpec* spec = metadata.FindSpec(group.front()->spec_id);
  const auto type =
      spec == nullptr ? Result<PartitionType>(Internal("")) : PartitionTypeOf(metadata, *spec);
  if (!type) {
    for (const ManifestFile* file : group) excluded.insert(file->path);
    return nothing;
  }
  ManifestWriter writer(metadata, *spec, *type);
  for (const ManifestFile* file : group) {
    WEIR_ASSIGN_OR_RETURN(const auto bytes, files.GetImmutable(file->path));
    auto read = ReadManifestFile(*bytes, *file, *type);
    const bool joinable =
        read && !read->has_unknown_fields &&
        std::ranges::all_of(read->entries, [](const auto& entry) { return entry.content == 0; });
    if (!joinable) {
      excluded.insert(file->path);
      return nothing;
    }
    for (ManifestEntry& entry : read->entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      entry.status = EntryStatus::kExisting;
      writer.Add(entry);
    }
  }
  if (writer.empty()) return nothing;
  return std::optional<WrittenManifest>(writer.Finish(snapshot_id, sequence));
}

}  // namespace weir::iceberg
