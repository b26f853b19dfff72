#pragma once
// TableProof: how one table is proven right, from its rows' offsets where it has them, else from
// its files. Private to verify.

#include <map>
#include <string>
#include <vector>

#include "engine/history.h"
#include "engine/verify.h"

namespace weir::engine {

/// What the ledger says that a table holds at the progress that it shows.
class TableExpectation {
 public:
  TableExpectation(const History& history, const std::string& table,
                   const connect::TableVersion& version);

  Position ShownAt(const std::string& topic, Partition partition) const;
  /// Rows of this pipeline by partition; -1 where the record of that progress is gone.
  const std::map<Partition, std::int64_t>& rows() const { return rows_; }
  /// The sum; -1 when one of them is unknown.
  std::int64_t total() const;

 private:
  std::map<std::string, connect::PartitionProgress> progress_;
  std::map<Partition, std::int64_t> rows_;
};

/// Offsets of rows that tables of one kind hold, sorted.
using OffsetsSeen = std::map<Partition, std::vector<std::int64_t>>;

Result<TableProof> ProveTable(const History& history, OpenTable& table,
                              const TableExpectation& expected, OffsetsSeen& same_kind,
                              const OffsetsSeen& other_kind);

}  // namespace weir::engine
