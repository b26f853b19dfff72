#pragma once
// JointCommit: the tables of one catalog whose pointers can be swapped in one step.
//
// All files of all tables are written first, then one swap makes them visible together; readers see
// all of an epoch or nothing of it where the catalog is a database. The tables are those that were
// opened with this group, and belong to the calling thread.

#include <memory>

#include "connect/table_commit.h"
#include "iceberg/pointers.h"

namespace weir::iceberg {

class JointCommit final : public connect::TableGroup {
 public:
  explicit JointCommit(std::shared_ptr<Pointers> pointers) : pointers_(std::move(pointers)) {}

  Result<connect::CommitOutcome> Commit(std::span<const connect::GroupedCommit> parts) override;

 private:
  std::shared_ptr<Pointers> pointers_;
};

}  // namespace weir::iceberg
