#pragma once
// Snapshot: one version of a table's content, and the named references to snapshots.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_document.h"
#include "base/result.h"

namespace weir::iceberg {

struct Snapshot {
  std::int64_t id = 0;
  std::optional<std::int64_t> parent_id;
  std::int64_t sequence = 0;
  std::int64_t timestamp_ms = 0;
  std::string manifest_list;                   // location; empty in tables of format version 1
  std::map<std::string, std::string> summary;  // "operation" among them
  std::optional<int> schema_id;

  std::string operation() const;
  /// A number of the summary, e.g. "total-records"; nullopt when it is absent or no number.
  std::optional<std::int64_t> Total(const std::string& key) const;
};

/// kCorrupt.
Result<Snapshot> SnapshotFromJson(const Json& json);
Json SnapshotToJson(const Snapshot& snapshot);

/// A snapshot of a metadata file, with its text there, which may say more than Weir knows of.
struct StoredSnapshot {
  Snapshot snapshot;
  std::string json;
};
/// Versions of one table share what they have in common.
using StoredSnapshots = std::vector<std::shared_ptr<const StoredSnapshot>>;

/// A branch or tag. "main" is a branch and the table's current state.
struct Ref {
  std::int64_t snapshot_id = 0;
  bool is_tag = false;
  std::optional<std::int64_t> min_snapshots_to_keep;
  std::optional<std::int64_t> max_snapshot_age_ms;
};

Result<Ref> RefFromJson(const Json& json);

inline constexpr const char* kMainBranch = "main";

}  // namespace weir::iceberg
