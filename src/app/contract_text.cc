#include "app/contract_text.h"

#include <fmt/format.h>

#include "app/listing.h"
#include "app/pipeline_file.h"
#include "config/contract_file.h"

namespace weir::app {

LoadedContract LoadContractFile(const std::optional<std::string>& path, Session& session) {
  if (!path) {
    LoadedPipeline loaded = LoadPipelineFile(session);
    if (!loaded.spec) return {std::nullopt, loaded.exit_code};
    return {std::move(loaded.spec->contract), exit_code::kOk};
  }
  config::ContractOutcome outcome = config::LoadContract(*path, session.environment);
  PrintDiagnostics(outcome.diagnostics, session);
  return {std::move(outcome.contract), ExitCodeOf(outcome.diagnostics)};
}

std::string ChangeText(const ContractChange& change) {
  return fmt::format("{}: {} ({})", change.path.empty() ? "contract" : "`" + change.path + "`",
                     change.message, change.why);
}

void WriteChanges(const std::vector<ContractChange>& changes, Session& session) {
  Listing listing{.columns = {"verdict", "change", "field", "what", "why", "plan"}, .rows = {}};
  const bool for_people = session.format() == OutputFormat::kTable;
  if (for_people) listing.columns.pop_back();
  for (const ContractChange& change : changes) {
    std::vector<Cell> row = {change.compatible ? "compatible" : "breaking", change.kind,
                             change.path.empty() ? Cell() : Cell(change.path), change.message,
                             change.why};
    if (!for_people) row.push_back(change.plan.empty() ? Cell() : Cell(change.plan));
    listing.Add(std::move(row));
  }
  WriteListing(listing, session);
  if (!for_people) return;
  for (const ContractChange& change : changes) {
    if (change.plan.empty()) continue;
    session.out << fmt::format("{}: {}\n", change.path.empty() ? "contract" : change.path,
                               change.plan);
  }
}

}  // namespace weir::app
