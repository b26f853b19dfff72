#pragma once
// Echo: a pipeline as Weir understood it, with defaults and absolute paths, secrets as ***.
// Reading it again gives the same pipeline but for the secrets. Pure functions.

#include <string>

#include "config/pipeline_spec.h"

namespace weir::config {

/// YAML, one pipeline file with the contract inside.
std::string Echo(const PipelineSpec& spec);

/// Lower-case hex SHA-256 of Echo(spec): two specs that differ in a secret only have one hash.
std::string ConfigHash(const PipelineSpec& spec);

}  // namespace weir::config
