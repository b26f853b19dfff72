#pragma once
// Expiry: which snapshots a commit may drop from the metadata. Pure.
//
// Only ancestors of main, oldest first and without gaps, so that main's history stays a chain. What
// another branch or a tag can reach is kept, as is everything that is no ancestor of main (staged
// commits, what a rollback left behind): somebody may still need it, and it does not grow with us.

#include <cstdint>
#include <vector>

#include "connect/table.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

/// Ids to remove from `metadata` when one more snapshot is put on top of main and the tag `own_tag`
/// moves there; oldest first. `now_ms` decides ages. A retention that the table itself asks for
/// (fields of the main branch, history.expire.*) goes before the policy; with gc.enabled=false
/// nothing is ever dropped.
std::vector<std::int64_t> SnapshotsToExpire(const TableMetadata& metadata,
                                            const connect::ExpiryPolicy& policy,
                                            const std::string& own_tag, std::int64_t now_ms);

/// Snapshots that `before` had, that are gone from `after`, and that were ancestors of what `after`
/// still has: expired ones, not those that a rollback cut off. With each its successor on the
/// chain.
struct ExpiredSnapshot {
  Snapshot snapshot;
  Snapshot successor;
};
/// Oldest first.
std::vector<ExpiredSnapshot> ExpiredBetween(const TableMetadata& before,
                                            const TableMetadata& after);

}  // namespace weir::iceberg
