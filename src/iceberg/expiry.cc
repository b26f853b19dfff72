#include "iceberg/expiry.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace weir::iceberg {
namespace {

// A table that others filled for years is brought down step by step, so that one commit stays
// short.
constexpr std::size_t kMostAtOnce = 100;

struct Retention {
  std::size_t keep_at_least = 1;
  std::size_t keep_at_most = 1;
  std::int64_t oldest_kept_ms = 0;
};

Retention RetentionOf(const TableMetadata& metadata, const connect::ExpiryPolicy& policy,
                      std::int64_t now_ms) {
  const Ref& main = metadata.refs.at(kMainBranch);
  std::optional<std::int64_t> keep = main.min_snapshots_to_keep;
  std::optional<std::int64_t> age_ms = main.max_snapshot_age_ms;
  if (!keep && metadata.properties.contains("history.expire.min-snapshots-to-keep")) {
    keep = metadata.NumberProperty("history.expire.min-snapshots-to-keep", 1);
  }
  if (!age_ms && metadata.properties.contains("history.expire.max-snapshot-age-ms")) {
    age_ms = metadata.NumberProperty("history.expire.max-snapshot-age-ms", 0);
  }
  Retention out;
  out.keep_at_least =
      static_cast<std::size_t>(std::max<std::int64_t>({1, policy.keep_at_least, keep.value_or(0)}));
  // Who asks for an age means it; a cap is only ours.
  out.keep_at_most = age_ms ? metadata.snapshots.size() + 1
                            : std::max(out.keep_at_least,
                                       static_cast<std::size_t>(std::max(1, policy.keep_at_most)));
  out.oldest_kept_ms = now_ms - age_ms.value_or(policy.max_age / kMicrosPerMilli);
  return out;
}

// What other branches and tags hold: the snapshot of a tag, the whole history of a branch.
std::unordered_set<std::int64_t> HeldByOthers(const TableMetadata& metadata,
                                              const std::string& own_tag) {
  std::unordered_set<std::int64_t> held;
  for (const auto& [name, ref] : metadata.refs) {
    if (name == kMainBranch || (ref.is_tag && name == own_tag)) continue;
    std::size_t steps = 0;  // bounds a ring in a damaged file
    for (const Snapshot* at = metadata.FindSnapshot(ref.snapshot_id);
         at != nullptr && steps++ <= metadata.snapshots.size(); at = metadata.ParentOf(*at)) {
      held.insert(at->id);
      if (ref.is_tag) break;
    }
  }
  return held;
}

}  // namespace

std::vector<std::int64_t> SnapshotsToExpire(const TableMetadata& metadata,
                                            const connect::ExpiryPolicy& policy,
                                            const std::string& own_tag, std::int64_t now_ms) {
  const std::vector<const Snapshot*> chain = metadata.MainAncestors();
  if (chain.empty() || !metadata.FlagProperty("gc.enabled", true)) return {};
  const Retention retention = RetentionOf(metadata, policy, now_ms);
  std::size_t kept = 0;
  const auto is_kept = [&](std::size_t i) {
    const std::size_t newer = i + 1;  // the incoming one is the first
    return newer < retention.keep_at_least ||
           (newer < retention.keep_at_most && chain[i]->timestamp_ms >= retention.oldest_kept_ms);
  };
  while (kept < chain.size() && is_kept(kept)) ++kept;
  const std::unordered_set<std::int64_t> held = HeldByOthers(metadata, own_tag);
  std::vector<std::int64_t> out;
  for (std::size_t i = chain.size(); i > kept && out.size() < kMostAtOnce; --i) {
    if (!held.contains(chain[i - 1]->id)) out.push_back(chain[i - 1]->id);
  }
  return out;
}

std::vector<ExpiredSnapshot> ExpiredBetween(const TableMetadata& before,
                                            const TableMetadata& after) {
  std::vector<ExpiredSnapshot> out;
  if (before.uuid != after.uuid) return out;
  // Walks main in what is left of both: after's own chain first, then on where before knows more.
  const Snapshot* at = after.head();
  for (std::size_t steps = 0; at != nullptr && at->parent_id; ++steps) {
    if (steps > before.snapshots.size() + after.snapshots.size()) break;
    const Snapshot* kept = after.FindSnapshot(*at->parent_id);
    const Snapshot* parent = kept != nullptr ? kept : before.FindSnapshot(*at->parent_id);
    if (kept == nullptr && parent != nullptr) out.push_back({*parent, *at});
    at = parent;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace weir::iceberg
