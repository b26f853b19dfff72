#pragma once
// A YAML tree as JSON text: what a scenario says of a record becomes the bytes of the record, and a
// pipeline that stands inside a scenario becomes a file of its own (JSON is YAML).

#include <string>

#include "config/yaml_node.h"

namespace weir::app {

/// Scalars without quotes that read as JSON numbers, true, false or null become these, digit for
/// digit; all others are text.
std::string JsonOf(const config::YamlNode& node);

/// One line of YAML that reads as the same tree: scalars keep whether they were quoted.
std::string YamlLineOf(const config::YamlNode& node);

/// Text in the quotes of JSON.
std::string QuoteText(std::string_view text);

}  // namespace weir::app
