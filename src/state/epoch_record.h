#pragma once
// EpochRecord: the one object that decides an epoch, and Seal, the object that ends a writer's log.
//
// Both live as writers/<writer>/epochs/<E>, put once and never changed (docs/PROTOCOL.md). The
// bytes are JSON; Decode refuses what is damaged (kCorrupt, WEIR0504) or written by a newer version
// (kUnsupported). Unknown keys are ignored.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "connect/data_file.h"
#include "state/standing.h"

namespace weir::state {

/// One partition in one epoch. Every partition that the writer owns is listed, also without rows.
struct PartitionEpoch {
  std::int64_t since = 0;  // the claim that gave it to this writer
  Offset from;
  LedgerCounts counts;    // of this epoch alone
  PartitionStanding end;  // after this epoch
  bool released = false;  // the last record of this writer that covers the partition
  bool operator==(const PartitionEpoch&) const = default;
};

/// What the epoch does to one table. Only tables that it changes are listed.
struct TableEpoch {
  std::string uuid;
  std::string location;  // where the files' paths count from
  std::int64_t snapshot_id = 0;
  std::vector<connect::DataFile> files;
  std::vector<connect::RowsWhere> replaced;  // rows that leave in the same commit
  std::map<Partition, Position> before;      // where each listed partition stood in the table

  std::int64_t rows() const;
};

/// A row that dedupe dropped. Records keep a few, for people who ask why.
struct DroppedRow {
  Partition partition;
  Offset offset;
  Micros event_time = 0;
  std::vector<std::string> key;  // values of the key columns, as text
  bool operator==(const DroppedRow&) const = default;
};

struct EpochRecord {
  std::string pipeline;
  std::string writer;
  std::int64_t epoch = 0;
  std::string previous_hash;  // SHA-256 of record epoch-1; empty for the first
  std::string config_hash;
  std::string engine;  // version that wrote it
  Micros time = 0;     // when the epoch was cut
  std::string topic;
  std::map<Partition, PartitionEpoch> partitions;
  std::map<std::string, TableEpoch> tables;
  SharedStanding shared;             // after this epoch
  std::vector<Decision> decisions;   // what the wall clock decided in this epoch
  std::vector<DroppedRow> dropped;   // examples
  std::int64_t applied_through = 0;  // newest own record known to be in all tables

  Position PositionOf(Partition partition) const { return {partitions.at(partition).since, epoch}; }
};

struct Seal {
  std::string sealer;
  std::string nonce;
  std::string reason;
  Micros time = 0;
};

/// What slot E of a writer's log holds.
using LogEntry = std::variant<EpochRecord, Seal>;

std::string Encode(const EpochRecord& record);
std::string Encode(const Seal& seal);
Result<LogEntry> DecodeLogEntry(std::string_view bytes);

}  // namespace weir::state
