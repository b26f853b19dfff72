#pragma once
// Reads the pipeline file's tree into a PipelineSpec, contract file included, and checks what no
// single key can show.

#include <optional>
#include <string>

#include "config/environment.h"
#include "config/pipeline_spec.h"
#include "config/section.h"
#include "config/yaml_node.h"

namespace weir::config {

/// nullopt when an error was reported. Variables of `root` are resolved already; those of the
/// contract file are resolved here.
std::optional<PipelineSpec> ReadPipeline(const YamlNode& root, ReadContext& context,
                                         const Environment& environment);

}  // namespace weir::config
