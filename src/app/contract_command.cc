#include "app/contract_command.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/contract_text.h"
#include "app/listing.h"
#include "app/session.h"
#include "config/contract_writer.h"

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

Command MakeShow() {
  auto file = std::make_shared<std::optional<std::string>>();
  Command command;
  command.name = "show";
  command.summary = "Prints a contract as Weir understands it";
  command.examples = {{"weir contract show -c pipeline.yaml", "the pipeline's"},
                      {"weir contract show contracts/shop_event.yaml", "a file's"}};
  command.options = {{.names = "FILE",
                      .value = "FILE",
                      .help = "a contract or pipeline file; that of -c unless given",
                      .target = file.get()}};
  command.run = [file](Session& session) -> Result<int> {
    const LoadedContract loaded = LoadContractFile(*file, session);
    if (!loaded.contract) return loaded.exit_code;
    session.out << config::ContractText(*loaded.contract);
    return exit_code::kOk;
  };
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
  return command;
}

}  // namespace weir::app
