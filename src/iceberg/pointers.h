#pragma once
// Pointers: the port that a catalog is for us: which metadata file of a table is the current one,
// and the compare-and-swap that makes another one current. Everything else is in files.
//
// Safe from several threads. Errors of all calls: kUnavailable WEIR0404 (also for a locked or full
// database), kRefused WEIR0502.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connect/table.h"
#include "iceberg/attempt.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

/// Which metadata file is the current one.
struct CurrentMetadata {
  std::string location;
  /// Where names come again (a dropped table made anew): the size tells versions apart.
  std::optional<std::int64_t> size;
  /// What is in it, where the catalog gives it out itself.
  MetadataPtr metadata = nullptr;
};

/// Who writes a new metadata file.
enum class MetadataWriter {
  kTable,    // the table, before the swap
  kSwap,     // the swap
  kCatalog,  // the catalog's server, under a name and with contents of its own
};

/// One table's part of a swap.
struct PointerSwap {
  connect::TableName name;
  std::string base;              // the location that must be current
  std::string next;              // the location that becomes current
  std::string_view text;         // what stands, or will stand, in `next`
  std::int64_t snapshot_id = 0;  // the snapshot that `next` adds
  const TableMetadata* from = nullptr;
  const TableMetadata* to = nullptr;
};

struct SwapOutcome {
  SwapOutcome(connect::CommitOutcome what)  // NOLINT(google-explicit-constructor): it is one
      : outcome(what) {}
  bool operator==(connect::CommitOutcome other) const { return outcome == other; }
  connect::CommitOutcome outcome;
  /// What is current now, where the catalog made it and says so.
  MetadataPtr metadata = nullptr;
};

class Pointers {
 public:
  virtual ~Pointers() = default;

  /// kNotFound WEIR0401.
  virtual Result<CurrentMetadata> Current(const connect::TableName& name) = 0;
  /// What the next metadata file of a table is called. `folder` is where its metadata goes.
  /// MetadataWriter::kCatalog: a name that stands for it until the catalog has told its own.
  virtual std::string NextLocation(std::string_view folder, const Attempt& attempt) const = 0;
  virtual MetadataWriter metadata_writer() const = 0;
  /// All of them or none. kConflict: one of the bases is no longer current. Several tables need
  /// joint_swaps().
  virtual Result<SwapOutcome> Swap(std::span<const PointerSwap> swaps) = 0;
  virtual bool joint_swaps() const = 0;
  /// A new table and its namespace. kConflict when it is there.
  virtual Status Insert(const connect::TableName& name, const std::string& location,
                        std::string_view text) = 0;
  /// As Catalog::Rename. Not for pointers whose names are places.
  virtual Status Rename(const std::vector<connect::TableRename>& renames);
  virtual Result<std::vector<connect::TableName>> List() = 0;
  virtual Status Check() = 0;
  virtual std::string Describe() const = 0;
};

}  // namespace weir::iceberg
