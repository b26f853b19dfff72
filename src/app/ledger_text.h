#pragma once
// The ledger as people read it: "5 read = 4 good + 1 quarantined + 0 tombstones". Counts that this
// version never makes (duplicate, late) appear once they are not zero.

#include <string>

#include "state/standing.h"

namespace weir::app {

std::string LedgerText(const state::LedgerCounts& counts);

}  // namespace weir::app
