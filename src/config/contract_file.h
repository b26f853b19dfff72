#pragma once
// ContractFile: a contract by its path, from a file of its own or out of a pipeline file.

#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostic.h"
#include "config/environment.h"
#include "record/contract.h"

namespace weir::config {

struct ContractOutcome {
  std::optional<Contract> contract;  // there if and only if no error was reported
  Diagnostics diagnostics;
};

/// path: as a person gave it; messages repeat it.
ContractOutcome LoadContract(const std::string& path, const Environment& environment);

/// The same for a text that is there already. path: where it would stand; need not exist.
ContractOutcome ParseContractText(std::string_view text, const std::string& path,
                                  const Environment& environment);

}  // namespace weir::config
