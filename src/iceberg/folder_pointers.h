#pragma once
// FolderPointers: a warehouse folder that is its own catalog, as Hadoop's is. A table is
// <namespace>/<name>/metadata/v<N>.metadata.json; the highest N is current, and whoever makes the
// next one first has committed. version-hint.text repeats N for other readers; we never trust it.

#include "iceberg/files.h"
#include "iceberg/pointers.h"

namespace weir::iceberg {

class FolderPointers final : public Pointers {
 public:
  explicit FolderPointers(Warehouse warehouse) : warehouse_(std::move(warehouse)) {}

  Result<CurrentMetadata> Current(const connect::TableName& name) override;
  std::string NextLocation(std::string_view folder, const Attempt& attempt) const override;
  MetadataWriter metadata_writer() const override { return MetadataWriter::kSwap; }
  Result<SwapOutcome> Swap(std::span<const PointerSwap> swaps) override;
  bool joint_swaps() const override { return false; }
  Status Insert(const connect::TableName& name, const std::string& location,
                std::string_view text) override;
  Result<std::vector<connect::TableName>> List() override;
  Status Check() override;
  std::string Describe() const override;

 private:
  struct Newest {
    std::int64_t version = 0;
    io::ObjectInfo object;
  };
  /// The highest version in a folder of metadata; version 0 when there is none.
  Result<Newest> FindNewest(const std::string& folder_key);
  Result<connect::CommitOutcome> Confirm(const PointerSwap& swap, const std::string& key);

  Warehouse warehouse_;
};

}  // namespace weir::iceberg
