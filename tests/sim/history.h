#pragma once
// One simulated history: a seeded log, a pipeline over it that is killed, doubled, delayed and lied
// to, then a calm end; and the check that the tables hold every record exactly once.

#include <cstdint>
#include <string>

#include "sim/fault_table.h"

namespace weir::sim {

struct HistoryResult {
  std::string violation;  // empty: none
  std::int64_t epochs = 0;
  std::int64_t faults = 0;
  int processes = 0;
};

/// verbose: tells on standard error what each process ended with.
HistoryResult RunHistory(std::uint64_t seed, Faults& faults, bool verbose);

}  // namespace weir::sim
