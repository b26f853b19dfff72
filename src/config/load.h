#pragma once
// LoadPipeline: a pipeline file, its contract and its variables become a checked PipelineSpec, or a
// report of everything that is wrong. `weir run` and `weir validate` both come through here.

#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostic.h"
#include "config/environment.h"
#include "config/pipeline_spec.h"

namespace weir::config {

struct LoadOutcome {
  std::optional<PipelineSpec> spec;  // there if and only if no error was reported
  Diagnostics diagnostics;           // errors, or warnings beside a spec
};

/// path: as a person gave it; messages repeat it.
LoadOutcome LoadPipeline(const std::string& path, const Environment& environment);

/// The same for a text that is there already. path: where it would stand; need not exist.
LoadOutcome ParsePipelineText(std::string_view text, const std::string& path,
                              const Environment& environment);

}  // namespace weir::config
