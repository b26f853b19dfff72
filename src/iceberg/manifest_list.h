#pragma once
// Manifest lists: the Avro file of a snapshot that names its manifests.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "iceberg/manifest.h"

namespace weir::iceberg {

/// What a list's header says of its snapshot.
struct ManifestListHeader {
  std::int64_t snapshot_id = 0;
  std::optional<std::int64_t> parent_id;
  std::int64_t sequence = 0;
};

std::string WriteManifestList(const ManifestListHeader& header,
                              const std::vector<ManifestFile>& manifests);

/// Any writer's list, of format version 1 to 3. kCorrupt WEIR0405; kUnsupported for an Avro codec
/// that Weir does not have. `path` is for messages.
Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes, std::string_view path);

}  // namespace weir::iceberg
