#include "iceberg/joint_commit.h"

#include <vector>

#include "base/fail_point.h"
#include "iceberg/table.h"

namespace weir::iceberg {
namespace {

struct Part {
  IcebergTable* table;
  PreparedCommit prepared;
};

Result<std::vector<Part>> PrepareAll(std::span<const connect::GroupedCommit> parts) {
  std::vector<Part> ready;
  for (const connect::GroupedCommit& part : parts) {
    if (!ready.empty()) Reach(FailPoint::kApplyBetweenTables);
    // Nothing but a table of this folder has this group.
    auto* table = static_cast<IcebergTable*>(part.table);
    auto prepared = table->Prepare(*part.base, part.commit);
    if (!prepared) {
      for (const Part& other : ready) other.table->Abandon(other.prepared);
      return std::move(prepared).error();
    }
    ready.push_back({table, *std::move(prepared)});
  }
  return ready;
}

}  // namespace

Result<connect::CommitOutcome> JointCommit::Commit(std::span<const connect::GroupedCommit> parts) {
  WEIR_ASSIGN_OR_RETURN(std::vector<Part> ready, PrepareAll(parts));
  std::vector<PointerSwap> swaps;
  swaps.reserve(ready.size());
  for (const Part& part : ready) swaps.push_back(part.table->SwapOf(part.prepared));
  Reach(FailPoint::kApplySwapBefore);
  const auto swapped = pointers_->Swap(swaps);
  Reach(FailPoint::kApplySwapAfter);
  Result<connect::CommitOutcome> outcome = connect::CommitOutcome::kUnknown;
  for (Part& part : ready) outcome = part.table->Finish(part.prepared, swapped);
  return outcome;
}

}  // namespace weir::iceberg
