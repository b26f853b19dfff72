#pragma once
// Values of tables as text that can be compared: of a column, and of what a person expects there.
// Strings stand in quotes, times are ISO 8601 in UTC, entries of maps are sorted.

#include <string>

#include "base/result.h"
#include "config/yaml_node.h"
#include "record/column.h"
#include "record/type.h"

namespace weir::app {

std::string ValueText(const Column& column, std::size_t row);

/// kInvalidInput WEIR0104 for what is no value of the type.
Result<std::string> ValueText(const config::YamlNode& node, const Type& type);

}  // namespace weir::app
