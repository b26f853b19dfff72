#include "config/load.h"

#include "config/config_file.h"
#include "config/echo.h"
#include "config/pipeline_reader.h"

namespace weir::config {
namespace {

std::optional<PipelineSpec> SpecOf(ConfigFile& file, const Environment& environment) {
  auto spec = ReadPipeline(file.root, file.context, environment);
  if (spec) {
    spec->file = AbsolutePath(environment.CurrentFolder(), file.context.file);
    spec->text_hash = ConfigHash(*spec);
  }
  return spec;
}

}  // namespace

LoadOutcome LoadPipeline(const std::string& path, const Environment& environment) {
  LoadOutcome outcome;
  auto file = OpenConfigFile(path, environment, outcome.diagnostics);
  if (file) outcome.spec = SpecOf(*file, environment);
  return outcome;
}

LoadOutcome ParsePipelineText(std::string_view text, const std::string& path,
                              const Environment& environment) {
  LoadOutcome outcome;
  auto file = ParseConfigFile(text, path, environment, outcome.diagnostics);
  if (file) outcome.spec = SpecOf(*file, environment);
  return outcome;
}

}  // namespace weir::config
