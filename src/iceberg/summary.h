#pragma once
// The summary of a snapshot: what it added and what the table holds now, under the keys that
// engines and their metadata tables read.

#include <map>
#include <string>
#include <vector>

#include "connect/data_file.h"
#include "iceberg/snapshot.h"

namespace weir::iceberg {

struct ManifestCounts {
  std::size_t created = 0;
  std::size_t kept = 0;
  std::size_t replaced = 0;
};

/// Of a commit on top of `parent` (nullptr: the first): an append, or an overwrite when files left.
/// A total is left out where the parent has none, since it would be wrong.
std::map<std::string, std::string> SummaryOf(const Snapshot* parent,
                                             const std::vector<connect::DataFile>& added,
                                             const std::vector<connect::DataFile>& removed,
                                             const ManifestCounts& manifests);

}  // namespace weir::iceberg
