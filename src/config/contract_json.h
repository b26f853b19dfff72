#pragma once
// ContractJson: contracts as JSON Schema, so that other programs check events by the same rules,
// and back from schemas that others wrote. What JSON Schema has no word for stands under "x-weir",
// which validators pass over; with it, a contract that was exported comes back equal. Pure
// functions.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/contract.h"

namespace weir::config {

/// JSON Schema, draft 2020-12.
std::string ContractToJsonSchema(const Contract& contract);

struct ImportedContract {
  Contract contract;
  std::vector<std::string> notes;  // what the contract cannot say, one line each
};

/// Reads a JSON Schema of any draft: the object's properties become fields. At most 1 MiB, 32
/// levels and 2,000 fields; only local references. kInvalidInput WEIR0106 naming the place of what
/// cannot be a contract.
Result<ImportedContract> ContractFromJsonSchema(std::string_view text);

}  // namespace weir::config
