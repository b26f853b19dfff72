#pragma once
// Reads one field of a contract: its type, nested ones too, and its rules.

#include <optional>
#include <string>

#include "config/section.h"
#include "record/contract.h"

namespace weir::config {

/// nullopt when the type was wrong, which is reported; wrong rules are reported and left out.
std::optional<ContractField> ReadField(Section::Named& named, Diagnostics& diagnostics);

/// Whether a JSON key may be a column name; reports it otherwise.
bool CheckFieldName(const Section::Named& named, Diagnostics& diagnostics);

}  // namespace weir::config
