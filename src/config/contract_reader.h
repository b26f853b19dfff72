#pragma once
// Reads a contract from its section, with every contradiction reported at its place (WEIR0106).

#include <optional>

#include "config/config_file.h"
#include "config/section.h"
#include "record/contract.h"

namespace weir::config {

/// nullopt when anything was reported.
std::optional<Contract> ReadContract(Section section);
/// The contract that has a file of its own.
std::optional<Contract> ReadContract(ConfigFile& file);

}  // namespace weir::config
