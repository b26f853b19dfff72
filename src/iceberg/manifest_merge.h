#pragma once
// Merging of manifests, so that a table of many small commits keeps a short manifest list.
//
// By tiers, as log-structured stores do: manifests of about one size are joined when enough of them
// are together, so an entry is rewritten a few times in its life and not at each merge. Java's
// merge append joins all of a list into one again and again; the bound is the same, no more small
// manifests than commit.manifest.min-count-to-merge. Merging is a service to readers: it never
// fails a commit.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "iceberg/files.h"
#include "iceberg/manifest.h"
#include "iceberg/manifest_writer.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

struct MergeSettings {
  bool enabled = true;
  std::int64_t target_bytes = std::int64_t{8} << 20;
  std::int64_t min_count = 100;
};
/// From commit.manifest.*.
MergeSettings MergeSettingsOf(const TableMetadata& metadata);

/// Indexes of manifests to join now, ascending; empty when there is nothing to do. `excluded` are
/// paths that cannot be joined.
std::vector<std::size_t> PlanMerge(const std::vector<ManifestFile>& manifests,
                                   const MergeSettings& settings,
                                   const std::set<std::string>& excluded);

/// Joins manifests of one spec: live entries become existing ones, deleted ones are dropped.
/// nullopt when one of them cannot be joined; it is then added to `excluded`. Errors are those of
/// reading.
Result<std::optional<WrittenManifest>> Merge(Files& files, const TableMetadata& metadata,
                                             const std::vector<const ManifestFile*>& group,
                                             std::int64_t snapshot_id, std::int64_t sequence,
                                             std::set<std::string>& excluded);

}  // namespace weir::iceberg
