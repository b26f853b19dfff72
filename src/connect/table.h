#pragma once
// Table: the port through which epochs reach a table of any format. Iceberg and Delta implement it;
// the engine knows nothing else of them.
// A commit carries the rows (as finished files) and the progress of the pipeline in one atomic step
// (docs/PROTOCOL.md section 5). Its outcome is a type, never a bool.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "connect/data_file.h"
#include "connect/schema_change.h"
#include "connect/table_commit.h"
#include "record/type.h"

namespace weir::connect {

/// "retail.events": namespace levels and the name.
struct TableName {
  std::vector<std::string> levels;  // at least one namespace level
  std::string name;
  auto operator<=>(const TableName&) const = default;
};
std::string ToString(const TableName& name);
/// Splits at dots; the last part is the name. kInvalidInput for empty parts or no namespace.
Result<TableName> ParseTableName(std::string_view text);

enum class Transform { kIdentity, kYear, kMonth, kDay, kHour, kBucket, kTruncate, kVoid };

/// One field of a partition spec: transform(source column).
struct PartitionField {
  int source_id = 0;
  int field_id = 0;
  std::string name;  // e.g. event_time_day
  Transform transform = Transform::kIdentity;
  int width = 0;  // bucket count or truncate width
};

struct PartitionSpec {
  int spec_id = 0;
  std::vector<PartitionField> fields;
};

struct SortField {
  int source_id = 0;
  Transform transform = Transform::kIdentity;
  int width = 0;
  bool ascending = true;
  bool nulls_first = true;
};
struct SortOrder {
  int order_id = 0;  // 0: unsorted
  std::vector<SortField> fields;
};

/// P(T): what is applied, and the table version that it was written with.
struct Progress {
  std::int64_t snapshot_id = 0;
  std::int64_t sequence = 0;
  std::int64_t total_records = 0;
  std::map<std::string, PartitionProgress> partitions;  // "topic/partition"
};

/// How the table's history relates to the recorded progress (docs/PROTOCOL.md section 10).
enum class Lineage {
  kIntact,      // the recorded snapshot is the head or one of its ancestors
  kExpired,     // the chain is cut by expiry above it: accepted
  kRolledBack,  // the head is older, or on another branch
};

/// One loaded version of a table. Immutable; Commit compares against exactly this one.
struct TableVersion {
  std::string uuid;
  std::string location;
  int format_version = 2;
  Schema schema;  // with field ids
  PartitionSpec spec;
  SortOrder sort_order;
  std::map<std::string, std::string> properties;
  std::optional<Progress> progress;  // of the pipeline that opened the table
  Lineage lineage = Lineage::kIntact;
  std::optional<std::int64_t> snapshot_id;  // head; nullopt: an empty table
  std::int64_t total_records = 0;           // as the head's summary says
  std::shared_ptr<const void> metadata;     // the format's own
};

struct SnapshotInfo {
  std::int64_t snapshot_id = 0;
  std::optional<std::int64_t> parent_id;
  std::int64_t sequence = 0;
  Micros time = 0;
  std::string operation;
  std::map<std::string, std::string> summary;
};

class Table {
 public:
  virtual ~Table() = default;
  virtual const TableName& name() const = 0;
  /// Fresh from the catalog. kNotFound WEIR0401, kUnavailable WEIR0404, kCorrupt WEIR0405,
  /// kUnsupported WEIR0403 (names the feature).
  virtual Result<std::shared_ptr<const TableVersion>> Load() = 0;
  /// One try, compare-and-swap on `base`. An Error is a definite failure with nothing visible.
  virtual Result<CommitOutcome> Commit(const TableVersion& base, const TableCommit& commit) = 0;
  /// What can commit this table and others in one step; nullptr: it is committed by itself.
  virtual TableGroup* group() { return nullptr; }
  /// Its part of such a step; nullopt: `base` has it already.
  virtual std::optional<GroupedCommit> Grouped(const TableVersion& base, const TableCommit& commit);
  /// Whether Evolve can do it. kUnsupported WEIR0403 (names what), kInvalidInput WEIR0402.
  virtual Status CheckEvolve(const TableVersion& base, const SchemaChange& change);
  /// One try, as Commit. Errors as CheckEvolve.
  virtual Result<CommitOutcome> Evolve(const TableVersion& base, const SchemaChange& change);
  /// Removes files of snapshots that earlier commits expired. Best effort; safe at any time.
  virtual Status CleanUp() = 0;

  /// Folder of new data files of a partition, as a key relative to the location, without a '/' at
  /// its end: "data/event_time_day=2026-09-01". Respects the table's own settings of data paths.
  virtual std::string DataFolder(const TableVersion& version,
                                 const PartitionTuple& partition) const = 0;

  /// Live data files of a version (its head), in no order.
  virtual Result<std::vector<DataFile>> LiveFiles(const TableVersion& version) = 0;
  /// Those of an older snapshot that is still there; kNotFound when it is not.
  virtual Result<std::vector<DataFile>> LiveFilesAt(const TableVersion& version,
                                                    std::int64_t snapshot_id);
  virtual std::vector<SnapshotInfo> Snapshots(const TableVersion& version) = 0;
  /// Writes the head's own snapshot as the progress' snapshot: the operator accepts a rollback.
  virtual Result<CommitOutcome> AcceptRollback(const TableVersion& base) = 0;
};

/// What a new table looks like.
struct TableDefinition {
  TableName name;
  Schema schema;                             // ids are assigned by the catalog
  std::vector<PartitionField> partition_by;  // source_id unset: resolved by `source_names`
  std::vector<std::string> partition_sources;
  std::vector<std::string> sort_by;  // column names, ascending
  std::map<std::string, std::string> properties;
};

/// A table gets another name; its files stay where they are.
struct TableRename {
  TableName from;
  TableName to;
};

/// A catalog of tables in one format.
class Catalog {
 public:
  virtual ~Catalog() = default;
  /// The handle exists even when the table does not; Load tells. `pipeline`: whose progress Load
  /// reads and Commit writes; empty for readers.
  virtual Result<std::unique_ptr<Table>> Open(const TableName& name, std::string pipeline) = 0;
  /// Creates namespace and table. kConflict when it is there.
  virtual Status Create(const TableDefinition& definition) = 0;
  /// All of them at once or none, in the order given: the name that one gives up the next may take.
  /// kNotFound, kConflict (a name is taken), kUnsupported where the name is the place.
  virtual Status Rename(const std::vector<TableRename>& renames);
  virtual Result<std::vector<TableName>> List() = 0;
  /// Reachable and usable; for `weir validate`.
  virtual Status Check() = 0;
  virtual std::string Describe() const = 0;
};

}  // namespace weir::connect
