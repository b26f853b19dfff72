#pragma once
// The Avro schemas that Weir writes manifests and manifest lists with: record names, field ids,
// int-keyed maps and logical types as iceberg-java has them, since other readers expect just that.

#include <string>

#include "iceberg/partition_type.h"

namespace weir::iceberg {

/// Record manifest_file.
const std::string& ManifestListSchema();

/// Record manifest_entry for files partitioned by `type`.
std::string ManifestSchema(const PartitionType& type);

}  // namespace weir::iceberg
