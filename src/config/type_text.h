#pragma once
// Types and bounds as a contract spells them. Pure functions; errors are kInvalidInput WEIR0104,
// without a place.

#include <string_view>

#include "base/result.h"
#include "record/contract.h"
#include "record/type.h"

namespace weir::config {

/// "string", "decimal(10,2)", "list<int>", "map<string, decimal(10,2)>".
Result<Type> ParseType(std::string_view text);

/// A bound of a field of this type: 5, 12.50, 2026-01-01, 2026-01-01T00:00:00Z. Numbers are exact;
/// a decimal with more digits than the scale is an error.
Result<Bound> ParseBound(std::string_view text, const Type& type);

}  // namespace weir::config
