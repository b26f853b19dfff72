#pragma once
// Every fault of the simulation, by name, with how often it fired. A new fault is one line of
// sim_fault.inc and the place that asks Fires().

#include <array>
#include <cstdint>
#include <string_view>

#include "base/fail_point.h"

namespace weir::sim {

enum class Fault {
#define WEIR_SIM_FAULT(id, name) id,
#include "sim/sim_fault.inc"
#undef WEIR_SIM_FAULT
  kCount
};

struct Faults {
  std::array<std::int64_t, static_cast<std::size_t>(Fault::kCount)> fired{};
  std::array<std::int64_t, 64> points{};  // by FailPoint
  void Count(Fault fault) { ++fired[static_cast<std::size_t>(fault)]; }
  std::int64_t total() const;
};

std::string_view ToString(Fault fault);

}  // namespace weir::sim
