#pragma once
// PipelineFile: loads the pipeline file of a session and tells a person everything that is wrong
// with it. Every command that takes -c comes through here.

#include <optional>

#include "app/session.h"
#include "config/load.h"
#include "config/pipeline_spec.h"

namespace weir::app {

/// What was loaded. Without a spec everything wrong was printed already, and the command ends with
/// `exit_code`.
struct LoadedPipeline {
  std::optional<config::PipelineSpec> spec;
  int exit_code = exit_code::kOk;
};

LoadedPipeline LoadPipelineFile(Session& session);

/// Errors and warnings like a compiler's, or one line of JSON with `--log-format json`.
void PrintDiagnostics(const config::Diagnostics& diagnostics, Session& session);

/// The exit code of a file with these diagnostics: that of its first error.
int ExitCodeOf(const config::Diagnostics& diagnostics);

}  // namespace weir::app
