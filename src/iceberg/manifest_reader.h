#pragma once
// Reads manifests, ours and those of others: fields in any order, found by id, optional or not,
// unknown ones skipped.

#include <functional>
#include <string_view>

#include "base/result.h"
#include "iceberg/manifest.h"
#include "iceberg/partition_type.h"

namespace weir::iceberg {

struct ReadManifest {
  std::vector<ManifestEntry> entries;
  /// The file has data-file fields that ManifestEntry does not carry and that are not empty: a
  /// rewrite by us would lose something.
  bool has_unknown_fields = false;
};

/// All entries. What an entry inherits from its manifest (docs: sequence numbers, snapshot id) is
/// filled in from `file`. kCorrupt WEIR0405; kUnsupported for an Avro codec that Weir does not
/// have.
Result<ReadManifest> ReadManifestFile(std::string_view bytes, const ManifestFile& file,
                                      const PartitionType& type);

}  // namespace weir::iceberg
