#include "config/load.h"

#include <utility>

#include "config/echo.h"
#include "config/pipeline_reader.h"
#include "config/variables.h"
#include "config/yaml_node.h"

namespace weir::config {

LoadOutcome LoadPipeline(const std::string& path, const Environment& environment) {
  const std::string absolute = AbsolutePath(environment.CurrentFolder(), path);
  const Result<std::string> text = environment.ReadFile(absolute, kMaxFileBytes);
  if (text) return ParsePipelineText(*text, path, environment);
  LoadOutcome outcome;
  outcome.diagnostics.Error(ErrorCode::kFileUnreadable, {.file = path, .key_path = {}},
                            text.error().message);
  return outcome;
}

LoadOutcome ParsePipelineText(std::string_view text, const std::string& path,
                              const Environment& environment) {
  LoadOutcome outcome;
  auto root = ReadYaml(text, path, outcome.diagnostics);
  if (!root) return outcome;
  const std::string absolute = AbsolutePath(environment.CurrentFolder(), path);
  const std::string folder = FolderOf(absolute);
  ExpandVariables(*root, path, folder, environment, outcome.diagnostics);
  std::vector<std::string> secret_paths;
  ReadContext context{.file = path,
                      .folder = folder,
                      .diagnostics = outcome.diagnostics,
                      .secret_paths = secret_paths};
  outcome.spec = ReadPipeline(*root, context, environment);
  if (outcome.spec) {
    outcome.spec->file = absolute;
    outcome.spec->text_hash = ConfigHash(*outcome.spec);
  }
  return outcome;
}

}  // namespace weir::config
