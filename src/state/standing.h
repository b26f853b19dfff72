#pragma once
// What is known of one source partition at an epoch border: where to read on, what was counted, its
// event time and operator state, and where it stands in each table. Complete in itself, so that
// whoever takes the partition next needs nothing else. What combines partitions stands beside them.
// Plain values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/offsets.h"
#include "record/partition_clock.h"

namespace weir::state {

/// The ledger: every record that was read is in exactly one of the other counts.
struct LedgerCounts {
  std::int64_t read = 0;
  std::int64_t good = 0;
  std::int64_t duplicate = 0;
  std::int64_t late = 0;
  std::int64_t quarantined = 0;
  std::int64_t tombstone = 0;

  bool balanced() const { return read == good + duplicate + late + quarantined + tombstone; }
  LedgerCounts& operator+=(const LedgerCounts& other);
  bool operator==(const LedgerCounts&) const = default;
};

/// A partition in one table: the last record that touched the table, the rows sent there for good,
/// and those that the next commit may replace (open sessions).
struct TableStanding {
  Position position;
  std::int64_t rows = 0;
  std::int64_t open_rows = 0;
  bool operator==(const TableStanding&) const = default;
};

/// State objects first to last of one writer.
struct StateSegment {
  std::string writer;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const StateSegment&) const = default;
};
/// Where operator state is: the first object of the first segment holds a base, all others deltas,
/// in this order. Empty: no state.
using StateChain = std::vector<StateSegment>;

struct PartitionStanding {
  Offset next_offset;
  LedgerCounts total;
  std::map<std::string, TableStanding> tables;  // by table name
  PartitionClock clock;
  StateChain state;
  bool operator==(const PartitionStanding&) const = default;
};

/// What belongs to no partition alone; whoever owns all partitions owns it.
struct SharedStanding {
  std::optional<Micros> watermark;  // of the pipeline; none yet
  StateChain state;
  std::map<std::string, std::string> rules;   // of the operators that made the state
  bool finished = false;                      // everything was closed by `--final-watermark`
  std::map<std::string, std::int64_t> sizes;  // of the state, for people: "dedupe.keys"
  bool operator==(const SharedStanding&) const = default;
};

}  // namespace weir::state
