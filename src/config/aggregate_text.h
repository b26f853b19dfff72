#pragma once
// Aggregates as a pipeline spells them: "count", "sum(price)", "count_distinct(user_id)".
// Pure functions; errors are kInvalidInput WEIR0104, without a place.

#include <string>
#include <string_view>

#include "base/result.h"
#include "record/operator_rules.h"

namespace weir::config {

/// Without the name of its column.
Result<Aggregate> ParseAggregate(std::string_view text);

/// The same text again.
std::string ToString(const Aggregate& aggregate);

}  // namespace weir::config
