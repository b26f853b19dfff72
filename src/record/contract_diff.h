#pragma once
// ContractDiff: what the step from one contract to another means, change by change. The one place
// that says what is compatible: `weir contract diff`, a start and a running pipeline ask here.
//
// Compatible: whatever kept the old contract keeps the new one, and whoever reads the tables by the
// old columns goes on reading them. Everything else is breaking, with the way that leads there all
// the same. Pure functions over contracts that passed Check().

#include <span>
#include <string>
#include <vector>

#include "record/contract.h"

namespace weir {

struct ContractChange {
  bool compatible = true;
  std::string kind;     // a stable word: "field_added", "type_changed", ...
  std::string path;     // "device.os", "event_types.purchase"; empty: the contract as a whole
  std::string message;  // what changed
  std::string why;      // why it is compatible or breaking
  std::string plan;     // breaking: what would do it

  bool operator==(const ContractChange&) const = default;
};

/// In the order of the old contract's fields, then added fields, then what concerns the whole.
/// Empty: equal, but perhaps for the order of fields.
std::vector<ContractChange> DiffContracts(const Contract& before, const Contract& after);

bool IsCompatible(std::span<const ContractChange> changes);

/// Whether every value of `narrow` is one of `wide` with the same meaning, so that a table column
/// may follow: int to long, float to double, a decimal of the same scale with more digits.
bool IsWidening(const Type& narrow, const Type& wide);

}  // namespace weir
