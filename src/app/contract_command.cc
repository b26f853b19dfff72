#include "app/contract_command.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/contract_drift.h"
#include "app/contract_text.h"
#include "app/listing.h"
#include "app/pipeline_file.h"
#include "app/session.h"
#include "app/wiring.h"
#include "base/time.h"
#include "config/contract_json.h"
#include "config/contract_writer.h"
#include "config/environment.h"
#include "config/yaml_node.h"
#include "state/state_log.h"

namespace weir::app {
namespace {

struct DiffOptions {
  std::string before;
  std::string after;
};

Result<int> RunDiff(const DiffOptions& options, Session& session) {
  const LoadedContract before = LoadContractFile(options.before, session);
  if (!before.contract) return before.exit_code;
  const LoadedContract after = LoadContractFile(options.after, session);
  if (!after.contract) return after.exit_code;
  const auto changes = DiffContracts(*before.contract, *after.contract);
  WriteChanges(changes, session);
  const auto breaking = std::count_if(changes.begin(), changes.end(),
                                      [](const auto& change) { return !change.compatible; });
  if (breaking > 0) {
    session.Note(fmt::format("breaking: {}; a running pipeline goes on with the old contract",
                             CountOf(breaking, "change")));
    return exit_code::kFailed;
  }
  session.Note(changes.empty() ? "the contracts are equal"
                               : "compatible: a running pipeline picks it up");
  return exit_code::kOk;
}

Command MakeDiff() {
  auto options = std::make_shared<DiffOptions>();
  Command command;
  command.name = "diff";
  command.summary = "Says what the step from one contract to another means";
  command.examples = {{"weir contract diff old.yaml new.yaml", "exit 0: compatible, 1: breaking"},
                      {"weir contract diff old.yaml new.yaml --format json", "for CI"}};
  command.details =
      "Both are contract files or pipeline files. Compatible: events that were valid stay valid, "
      "and whoever reads the tables goes on reading them; a running pipeline takes such a change "
      "up by itself. For each breaking change the last lines say what would do it.";
  command.options = {{.names = "A",
                      .value = "A",
                      .help = "the contract that is in force",
                      .target = &options->before,
                      .required = true},
                     {.names = "B",
                      .value = "B",
                      .help = "the one that shall follow",
                      .target = &options->after,
                      .required = true}};
  command.run = [options](Session& session) { return RunDiff(*options, session); };
  return command;
}

// A command that prints a contract in one of its forms.
Command MakePrinter(std::string (*text_of)(const Contract&)) {
  auto file = std::make_shared<std::optional<std::string>>();
  Command command;
  command.options = {{.names = "FILE",
                      .value = "FILE",
                      .help = "a contract or pipeline file; that of -c unless given",
                      .target = file.get()}};
  command.run = [file, text_of](Session& session) -> Result<int> {
    const LoadedContract loaded = LoadContractFile(*file, session);
    if (!loaded.contract) return loaded.exit_code;
    session.out << text_of(*loaded.contract);
    return exit_code::kOk;
  };
  return command;
}

Command MakeShow() {
  Command command = MakePrinter(config::ContractText);
  command.name = "show";
  command.summary = "Prints a contract as Weir understands it";
  command.examples = {{"weir contract show -c pipeline.yaml", "the pipeline's"},
                      {"weir contract show contracts/shop_event.yaml", "a file's"}};
  return command;
}

Command MakeHistory() {
  Command command;
  command.name = "history";
  command.summary = "Lists the contracts that were in force, and from which offsets on";
  command.examples = {
      {"weir contract history -c pipeline.yaml", "which contract read which offsets"},
      {"weir contract history -c pipeline.yaml --format json", "for programs"}};
  command.run = [](Session& session) -> Result<int> {
    const LoadedPipeline loaded = LoadPipelineFile(session);
    if (!loaded.spec) return loaded.exit_code;
    WEIR_ASSIGN_OR_RETURN(const auto state, OpenStateToRead(*loaded.spec));
    WEIR_ASSIGN_OR_RETURN(const auto entries, state::StateLog(*state).Contracts());
    Listing listing{.columns = {"number", "since", "claim", "from", "contract"}, .rows = {}};
    for (const state::ContractEntry& entry : entries) {
      std::string from;
      for (const auto& [partition, offset] : entry.from)
        from += fmt::format("{}{}:{}", from.empty() ? "" : " ", partition.value(), offset.value());
      listing.Add(
          {entry.number, FormatTime(entry.time), entry.claim, from, entry.hash.substr(0, 12)});
    }
    WriteListing(listing, session);
    return exit_code::kOk;
  };
  return command;
}

Command MakeImport() {
  auto file = std::make_shared<std::string>();
  Command command;
  command.name = "import";
  command.summary = "Makes a contract of a JSON Schema";
  command.examples = {
      {"weir contract import order.schema.json > order.yaml", "a contract to go on from"},
      {"weir contract import order.schema.json > /dev/null", "only what a contract cannot say"}};
  command.details =
      "Objects with properties become fields and structs, `required`, `enum`, `pattern`, `minimum` "
      "and `maximum` become rules, and if/then on one field's value becomes the needs of an event "
      "type. What a contract cannot say is named on standard error.";
  command.options = {{.names = "FILE",
                      .value = "FILE",
                      .help = "a JSON Schema of any draft",
                      .target = file.get(),
                      .required = true}};
  command.run = [file](Session& session) -> Result<int> {
    const std::string path = config::AbsolutePath(session.environment.CurrentFolder(), *file);
    WEIR_ASSIGN_OR_RETURN(const auto text,
                          session.environment.ReadFile(path, config::kMaxFileBytes));
    auto imported = config::ContractFromJsonSchema(text);
    if (!imported) return WithContext(std::move(imported).error(), *file);
    for (const std::string& note : imported->notes) session.Note("note: " + note);
    session.out << config::ContractText(imported->contract);
    return exit_code::kOk;
  };
  return command;
}

Command MakeExport() {
  Command command = MakePrinter(config::ContractToJsonSchema);
  command.name = "export";
  command.summary = "Prints a contract as JSON Schema";
  command.examples = {
      {"weir contract export -c pipeline.yaml > event.schema.json", "the pipeline's"},
      {"weir contract export contracts/shop_event.yaml", "a file's"}};
  command.details =
      "Draft 2020-12. What JSON Schema has no word for stands under `x-weir`, so that `weir "
      "contract import` gives the same contract back.";
  return command;
}

}  // namespace

Command MakeContractCommand() {
  Command command;
  command.name = "contract";
  command.summary = "Shows, compares, watches and converts contracts";
  command.examples = {{"weir contract diff old.yaml new.yaml", "what would this change mean?"},
                      {"weir contract show -c pipeline.yaml", "what is in force?"}};
  command.commands.push_back(MakeDiff());
  command.commands.push_back(MakeShow());
  command.commands.push_back(MakeHistory());
  command.commands.push_back(MakeContractDriftCommand());
  command.commands.push_back(MakeContractPromoteCommand());
  command.commands.push_back(MakeImport());
  command.commands.push_back(MakeExport());
  return command;
}

}  // namespace weir::app
