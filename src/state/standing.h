#pragma once
// What is known of one source partition at an epoch border: where to read on, what was counted, and
// where it stands in each table. Complete in itself, so that whoever takes the partition next needs
// nothing else. Plain values.

#include <cstdint>
#include <map>
#include <string>

#include "record/offsets.h"

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

/// A partition in one table: the last record that touched the table, and the rows sent so far.
struct TableStanding {
  Position position;
  std::int64_t rows = 0;
  bool operator==(const TableStanding&) const = default;
};

struct PartitionStanding {
  Offset next_offset;
  LedgerCounts total;
  std::map<std::string, TableStanding> tables;  // by table name
  bool operator==(const PartitionStanding&) const = default;
};

}  // namespace weir::state
