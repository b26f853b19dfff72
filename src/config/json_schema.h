#pragma once
// The JSON Schema (draft-07) of the configuration files, made from the descriptors, for editors:
// keys, values, documentation. `${...}` is accepted wherever a scalar is.

#include <string>

namespace weir::config {

std::string PipelineJsonSchema();
std::string ContractJsonSchema();

}  // namespace weir::config
