#pragma once
// Append: builds all that one try to commit consists of, files and new metadata, without writing
// any of it: an append, or an overwrite where the commit replaces rows. What is built is only right
// on top of exactly the base that it was built from.

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "connect/table.h"
#include "iceberg/attempt.h"
#include "iceberg/files.h"
#include "iceberg/manifest.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

struct BuiltAppend {
  std::vector<NewFile> files;           // manifests, then the manifest list
  std::vector<ManifestFile> manifests;  // what the list holds
  MetadataPtr metadata;                 // its `file` is where `text` belongs
  std::string text;
  std::int64_t snapshot_id = 0;
};

/// What an append is built from.
struct AppendInput {
  const TableMetadata& base;
  const std::vector<ManifestFile>& manifests;  // of the base's head
  const connect::TableCommit& commit;
  std::optional<connect::Progress> progress;  // as the base shows it
  std::string pipeline;
  Attempt attempt;
  std::string metadata_folder;    // where manifests go
  std::string metadata_location;  // where the metadata file goes
  std::int64_t now_ms = 0;
};

/// `unmergeable` remembers manifests that cannot be merged. Errors: kInvalidInput for files that do
/// not fit the table; those of reading existing manifests do not fail it.
Result<BuiltAppend> BuildAppend(Files& files, const AppendInput& input,
                                std::set<std::string>& unmergeable);

/// The manifest entry of a finished file, and back. Paths below the table's location are relative
/// in a DataFile.
ManifestEntry EntryOf(const connect::DataFile& file, const std::string& table_location);
connect::DataFile DataFileOf(const ManifestEntry& entry, int spec_id,
                             const std::string& table_location);

}  // namespace weir::iceberg
