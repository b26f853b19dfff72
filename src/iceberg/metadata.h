#pragma once
// TableMetadata: one version of a table's metadata file, read once and never changed.
//
// The typed fields are what Weir acts on. `document` is the file as it was written, with everything
// that Weir does not know; a new version is made by editing a copy of it (metadata_edit.h), so that
// nothing of another writer gets lost. Its list of snapshots is empty: those are most of the file
// and hardly change from one version to the next, so they keep their texts and are shared.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json_document.h"
#include "base/result.h"
#include "connect/table.h"
#include "iceberg/snapshot.h"
#include "record/type.h"

namespace weir::iceberg {

/// An older metadata file that the current one still names.
struct PreviousMetadata {
  std::string location;
  std::int64_t timestamp_ms = 0;
};

struct TableMetadata {
  int format_version = 2;
  std::string uuid;
  std::string location;
  std::int64_t last_sequence = 0;
  std::int64_t last_updated_ms = 0;
  int current_schema_id = 0;
  Schema schema;                      // the current one
  std::vector<std::string> left_out;  // columns of types that Weir does not have
  int default_spec_id = 0;
  std::map<int, connect::PartitionSpec> specs;  // those that Weir understands
  std::optional<Error> default_spec_error;      // why the default one is not among them
  std::optional<Error> schema_error;            // why `schema` is empty
  connect::SortOrder sort_order;
  std::map<std::string, std::string> properties;
  std::optional<std::int64_t> current_snapshot_id;
  StoredSnapshots snapshots;               // in the file's order
  std::map<std::string, Ref> refs;         // with "main" whenever there is a current snapshot
  std::vector<PreviousMetadata> previous;  // oldest first
  std::shared_ptr<const Json> document;
  std::string file;            // location of the metadata file itself
  std::int64_t file_size = 0;  // of its text

  const Snapshot* FindSnapshot(std::int64_t id) const;
  /// nullptr: the table is empty.
  const Snapshot* head() const;
  /// The snapshot's parent as far as it is still there.
  const Snapshot* ParentOf(const Snapshot& snapshot) const;
  /// The head and its ancestors, newest first, as far as the chain goes.
  std::vector<const Snapshot*> MainAncestors() const;
  /// nullptr: not there, or not understood.
  const connect::PartitionSpec* FindSpec(int spec_id) const;
  /// Table properties; the fallback where one is absent or makes no sense.
  std::int64_t NumberProperty(const std::string& name, std::int64_t fallback) const;
  bool FlagProperty(const std::string& name, bool fallback) const;
  /// The whole file.
  std::string Text() const;

 private:
  friend Result<std::shared_ptr<const TableMetadata>> MetadataFromParts(Json document,
                                                                        StoredSnapshots snapshots,
                                                                        std::string file,
                                                                        std::size_t size);
  std::unordered_map<std::int64_t, std::size_t> index_;
};

using MetadataPtr = std::shared_ptr<const TableMetadata>;

/// Reads the text of the metadata file `file`. Any text is safe. kCorrupt WEIR0405.
Result<MetadataPtr> ParseMetadata(std::string_view text, std::string file);
Result<MetadataPtr> MetadataFromDocument(Json document, std::string file, std::size_t size);

/// A file's text, and what is in it, from its document without snapshots and these.
std::string MetadataText(const Json& document, const StoredSnapshots& snapshots);
Result<MetadataPtr> MetadataFromParts(Json document, StoredSnapshots snapshots, std::string file,
                                      std::size_t size);

/// The field with this id in the current schema or, for dropped columns, in an older one.
std::optional<Field> FindFieldInAnySchema(const TableMetadata& metadata, int id);

/// Whether Weir may write to this table. kUnsupported WEIR0403 naming what it cannot honour.
Status CheckWritable(const TableMetadata& metadata);

}  // namespace weir::iceberg
