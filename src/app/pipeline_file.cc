#include "app/pipeline_file.h"

#include <filesystem>

#include "app/error_report.h"

namespace weir::app {
namespace {

bool IsThere(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

void PrintDiagnostics(const config::Diagnostics& diagnostics, Session& session) {
  if (diagnostics.errors() + diagnostics.warnings() == 0) return;
  if (session.options.log_format == "json") {
    session.err << diagnostics.ToJson() << '\n' << std::flush;
    return;
  }
  session.err << diagnostics.ToText(session.err_terminal.color && !session.options.no_color);
  session.err << diagnostics.Summary() << '\n' << std::flush;
}

int ExitCodeOf(const config::Diagnostics& diagnostics) {
  if (diagnostics.ok()) return exit_code::kOk;
  const Status status = diagnostics.ToStatus();
  return ExitCodeOf(status.error());
}

LoadedPipeline LoadPipelineFile(Session& session) {
  if (!session.options.config && !IsThere(session.config_file())) {
    PrintError(WithRemedy(InvalidInput("no pipeline file: there is no pipeline.yaml in this folder",
                                       ErrorCode::kUsage),
                          "give one by -c FILE"),
               session);
    return {std::nullopt, exit_code::kUsage};
  }
  config::LoadOutcome outcome = config::LoadPipeline(session.config_file(), session.environment);
  PrintDiagnostics(outcome.diagnostics, session);
  return {std::move(outcome.spec), ExitCodeOf(outcome.diagnostics)};
}

}  // namespace weir::app
