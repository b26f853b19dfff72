#pragma once
// Variables in scalar values: ${NAME}, ${NAME:-default}, ${NAME:?message}, ${file:PATH}, and $$ for
// a dollar sign before a brace. They are replaced after the YAML was parsed, so a value can never
// change the structure.
//
// Unset and blank count the same. What came from ${file:...} is a secret from then on, and
// section.h lets it pass only where secrets have a place.

#include <string>

#include "config/diagnostic.h"
#include "config/environment.h"
#include "config/yaml_node.h"

namespace weir::config {

/// Replaces the variables of all scalars. Each one that cannot be resolved is reported (WEIR0105,
/// WEIR0108, WEIR0104 for a form that is not known) and its node is marked as failed.
/// folder: what the paths of ${file:...} count from.
void ExpandVariables(YamlNode& root, const std::string& file, const std::string& folder,
                     const Environment& environment, Diagnostics& diagnostics);

/// `text` written so that ExpandVariables gives it back.
std::string EscapeVariables(const std::string& text);

}  // namespace weir::config
