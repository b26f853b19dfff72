#include "config/contract_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/contract_reader.h"
#include "config/keys.h"
#include "config/load.h"
#include "config/variables.h"
#include "config/yaml_node.h"

namespace weir::config {

ContractOutcome LoadContract(const std::string& path, const Environment& environment) {
  const std::string absolute = AbsolutePath(environment.CurrentFolder(), path);
  const Result<std::string> text = environment.ReadFile(absolute, kMaxFileBytes);
  if (text) return ParseContractText(*text, path, environment);
  ContractOutcome outcome;
  outcome.diagnostics.Error(ErrorCode::kFileUnreadable, {.file = path, .key_path = {}},
                            text.error().message);
  return outcome;
}

ContractOutcome ParseContractText(std::string_view text, const std::string& path,
                                  const Environment& environment) {
  ContractOutcome outcome;
  auto root = ReadYaml(text, path, outcome.diagnostics);
  if (!root) return outcome;
  const bool is_pipeline =
      std::any_of(root->entries.begin(), root->entries.end(),
                  [](const YamlEntry& entry) { return entry.key == "pipeline"; });
  if (is_pipeline) {
    LoadOutcome loaded = ParsePipelineText(text, path, environment);
    if (loaded.spec) outcome.contract = std::move(loaded.spec->contract);
    outcome.diagnostics = std::move(loaded.diagnostics);
    return outcome;
  }
  const std::string folder = FolderOf(AbsolutePath(environment.CurrentFolder(), path));
  ExpandVariables(*root, path, folder, environment, outcome.diagnostics);
  std::vector<std::string> secret_paths;
  ReadContext context{.file = path,
                      .folder = folder,
                      .diagnostics = outcome.diagnostics,
                      .secret_paths = secret_paths};
  const Place place{.file = path, .key_path = {}};
  outcome.contract = ReadContract(Section(*root, place, kContractKeys, context));
  if (!outcome.diagnostics.ok()) outcome.contract.reset();
  return outcome;
}

}  // namespace weir::config
