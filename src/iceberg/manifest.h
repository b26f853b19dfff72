#pragma once
// Manifests: the Avro files that list a table's data files, and the entries of manifest lists.
//
// Plain values, as faithful to the file as a rewrite by us must be: what was absent stays absent,
// since a reader draws other conclusions from a zero than from nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "connect/data_file.h"

namespace weir::iceberg {

enum class ManifestContent { kData = 0, kDeletes = 1 };

/// Range of one partition field over a manifest's files. Bounds in single-value form.
struct FieldSummary {
  bool contains_null = false;
  std::optional<bool> contains_nan;
  std::optional<std::string> lower;
  std::optional<std::string> upper;
};

/// One entry of a manifest list (Avro record manifest_file).
struct ManifestFile {
  std::string path;
  std::int64_t length = 0;
  int spec_id = 0;
  ManifestContent content = ManifestContent::kData;
  std::int64_t sequence = 0;
  std::int64_t min_sequence = 0;
  std::int64_t added_snapshot_id = 0;
  // Absent in lists of format version 1.
  std::optional<std::int64_t> added_files;
  std::optional<std::int64_t> existing_files;
  std::optional<std::int64_t> deleted_files;
  std::optional<std::int64_t> added_rows;
  std::optional<std::int64_t> existing_rows;
  std::optional<std::int64_t> deleted_rows;
  std::optional<std::vector<FieldSummary>> partitions;
  std::optional<std::string> key_metadata;

  /// False only where it is known that no file in it is live.
  bool may_have_live_files() const {
    return !added_files || !existing_files || *added_files + *existing_files > 0;
  }
};

enum class EntryStatus { kExisting = 0, kAdded = 1, kDeleted = 2 };

using LongById = std::vector<std::pair<int, std::int64_t>>;
using BytesById = std::vector<std::pair<int, std::string>>;

/// One entry of a manifest (Avro record manifest_entry) with its data file.
struct ManifestEntry {
  EntryStatus status = EntryStatus::kExisting;
  std::optional<std::int64_t> snapshot_id;
  std::optional<std::int64_t> sequence;
  std::optional<std::int64_t> file_sequence;

  int content = 0;  // 0 data, 1 position deletes, 2 equality deletes
  std::string path;
  std::string format;  // "PARQUET"
  connect::PartitionTuple partition;
  std::int64_t record_count = 0;
  std::int64_t file_bytes = 0;
  std::optional<LongById> column_sizes;
  std::optional<LongById> value_counts;
  std::optional<LongById> null_counts;
  std::optional<LongById> nan_counts;
  std::optional<BytesById> lower_bounds;
  std::optional<BytesById> upper_bounds;
  std::optional<std::string> key_metadata;
  std::optional<std::vector<std::int64_t>> split_offsets;
  std::optional<std::vector<int>> equality_ids;
  std::optional<int> sort_order_id;
};

}  // namespace weir::iceberg
