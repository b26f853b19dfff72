#pragma once
// TableCommit: what one commit does to a table, how it can end, and TableGroup, which commits
// several tables in one step. Plain values; a group is used by the thread that uses its tables.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "connect/data_file.h"
#include "record/offsets.h"

namespace weir::connect {

class Table;
struct TableVersion;

/// Where one partition of the source stands in a table.
struct PartitionProgress {
  Position position;
  Offset next_offset;
  bool operator==(const PartitionProgress&) const = default;
};

/// Which snapshots a commit may expire: those older than max_age and beyond keep_at_least, and all
/// beyond keep_at_most, so that a table with a commit each second keeps a small metadata file.
struct ExpiryPolicy {
  Micros max_age = 5 * kMicrosPerDay;
  int keep_at_least = 100;
  int keep_at_most = 200;  // not below keep_at_least
  /// For how long after a snapshot was succeeded its files stay, for readers that are still on it.
  Micros reader_grace = 600 * kMicrosPerSecond;
};

/// What a commit does.
struct TableCommit {
  std::vector<DataFile> files;
  std::vector<RowsWhere> replaced;  // rows that leave in the same step, whoever wrote their files
  std::int64_t snapshot_id = 0;     // wanted; a fresh one is taken when the table holds it already
  std::map<std::string, PartitionProgress> progress;  // of the record's partitions; others are kept
  std::map<std::string, std::string> summary;         // extra snapshot summary entries
  ExpiryPolicy expiry;
};

enum class CommitOutcome {
  kCommitted,
  kConflict,  // somebody committed in between; nothing of ours is visible: load again
  kUnknown,   // the answer was lost; load again, delete nothing
};

/// One table's part of a commit to several.
struct GroupedCommit {
  Table* table = nullptr;
  const TableVersion* base = nullptr;
  TableCommit commit = {};
  /// Whether kCommitted leaves nothing to do. false: look at the table again, and let its own
  /// Commit do what is missing.
  bool whole = true;
};

/// Tables that one step can change together: those of one database, or of a server that offers it.
class TableGroup {
 public:
  virtual ~TableGroup() = default;
  /// One try for all of them, each compared with its base. kCommitted: all, kConflict and errors:
  /// none, unless a server breaks its word. Load again all after every outcome but kCommitted, and
  /// after that one those that are not `whole`.
  virtual Result<CommitOutcome> Commit(std::span<const GroupedCommit> parts) = 0;
};

}  // namespace weir::connect
