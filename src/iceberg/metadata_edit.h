#pragma once
// MetadataEdit: the next version of a table's metadata, as changes to a copy of its document. Keys
// that Weir does not know stay as they are.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json_document.h"
#include "base/result.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

class MetadataEdit {
 public:
  /// `base.file` goes into the log of older metadata files.
  explicit MetadataEdit(const TableMetadata& base);
  ~MetadataEdit();

  /// Adds a snapshot and sets main to it. Its time and sequence become the table's last ones.
  void AppendSnapshot(const Snapshot& snapshot);
  /// Makes or moves a tag; it never ages.
  void SetTag(const std::string& name, std::int64_t snapshot_id);
  void SetProperty(const std::string& name, const std::string& value);
  /// Changes the columns: a schema with a fresh id becomes the current one, and no field id is used
  /// again, not even a dropped column's. kInvalidInput WEIR0402 for what does not fit.
  Status ChangeSchema(const connect::SchemaChange& change, std::int64_t now_ms);
  /// Drops snapshots that are no longer wanted, and what hangs on them.
  void RemoveSnapshots(const std::vector<std::int64_t>& ids);

  /// The finished version, to be stored as `file`, and its text.
  struct Finished {
    MetadataPtr metadata;
    std::string text;
  };
  Result<Finished> Finish(std::string file);

 private:
  void LogPrevious(const TableMetadata& base);

  std::unique_ptr<Json> document_;
  StoredSnapshots snapshots_;
};

}  // namespace weir::iceberg
