#pragma once
// ManifestWriter: one manifest in memory, entry by entry, and what its manifest-list entry says.

#include <string>

#include "avro/container.h"
#include "iceberg/manifest.h"
#include "iceberg/metadata.h"
#include "iceberg/partition_type.h"

namespace weir::iceberg {

/// A manifest's bytes, and its entry in a manifest list without the path.
struct WrittenManifest {
  std::string bytes;
  ManifestFile file;
};

class ManifestWriter {
 public:
  /// For data files of one spec. `type` must be the spec's and outlive the writer.
  ManifestWriter(const TableMetadata& metadata, const connect::PartitionSpec& spec,
                 const PartitionType& type);

  void Add(const ManifestEntry& entry);
  bool empty() const { return entries_ == 0; }

  /// The file of this snapshot. The writer is spent.
  WrittenManifest Finish(std::int64_t snapshot_id, std::int64_t sequence);

 private:
  void EncodeFile(const ManifestEntry& entry, avro::Encoder& encoder);

  const PartitionType& type_;
  int spec_id_;
  avro::ContainerWriter writer_;
  PartitionRanges ranges_;
  std::int64_t entries_ = 0;
  std::optional<std::int64_t> min_sequence_;  // over entries that have one
  bool has_inherited_sequence_ = false;
  std::int64_t files_[3] = {0, 0, 0};  // by EntryStatus
  std::int64_t rows_[3] = {0, 0, 0};
};

}  // namespace weir::iceberg
