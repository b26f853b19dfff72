#include "config/contract_file.h"

#include <algorithm>
#include <utility>

#include "config/config_file.h"
#include "config/contract_reader.h"
#include "config/pipeline_reader.h"

namespace weir::config {
namespace {

std::optional<Contract> ContractOf(ConfigFile& file, const Environment& environment) {
  const bool is_pipeline =
      std::any_of(file.root.entries.begin(), file.root.entries.end(),
                  [](const YamlEntry& entry) { return entry.key == "pipeline"; });
  std::optional<Contract> contract;
  if (!is_pipeline) {
    contract = ReadContract(file);
  } else if (auto spec = ReadPipeline(file.root, file.context, environment)) {
    contract = std::move(spec->contract);
  }
  if (!file.context.diagnostics.ok()) return std::nullopt;
  return contract;
}

}  // namespace

ContractOutcome LoadContract(const std::string& path, const Environment& environment) {
  ContractOutcome outcome;
  auto file = OpenConfigFile(path, environment, outcome.diagnostics);
  if (file) outcome.contract = ContractOf(*file, environment);
  return outcome;
}

ContractOutcome ParseContractText(std::string_view text, const std::string& path,
                                  const Environment& environment) {
  ContractOutcome outcome;
  auto file = ParseConfigFile(text, path, environment, outcome.diagnostics);
  if (file) outcome.contract = ContractOf(*file, environment);
  return outcome;
}

}  // namespace weir::config
