#include "app/config_command.h"

#include <memory>

#include "app/pipeline_file.h"
#include "app/session.h"
#include "config/echo.h"
#include "config/json_schema.h"
#include "config/reference.h"

namespace weir::app {
namespace {

Command MakeEcho() {
  Command command;
  command.name = "echo";
  command.summary = "Prints the pipeline as Weir understood it, defaults included, secrets hidden";
  command.examples = {{"weir config echo -c pipeline.yaml", ""},
                      {"weir config echo -c a.yaml > now.yaml", "to compare with later"}};
  command.run = [](Session& session) -> Result<int> {
    const LoadedPipeline loaded = LoadPipelineFile(session);
    if (!loaded.spec) return loaded.exit_code;
    session.out << config::Echo(*loaded.spec);
    return exit_code::kOk;
  };
  return command;
}

Command MakeSchema() {
  struct Options {
    std::string file = "pipeline";
    bool markdown = false;
  };
  auto options = std::make_shared<Options>();
  Command command;
  command.name = "schema";
  command.summary = "Prints the JSON Schema of the pipeline file or of the contract, for editors";
  command.examples = {{"weir config schema > pipeline.schema.json", ""},
                      {"weir config schema contract > contract.schema.json", ""}};
  command.options = {{.names = "FILE",
                      .value = "FILE",
                      .help = "which file; pipeline unless given",
                      .target = &options->file,
                      .choices = {"pipeline", "contract"}},
                     {.names = "--markdown",
                      .help = "print docs/CONFIG.md, the reference of both files",
                      .target = &options->markdown}};
  command.run = [options](Session& session) -> Result<int> {
    if (options->markdown) {
      session.out << config::ReferenceMarkdown();
    } else if (options->file == "contract") {
      session.out << config::ContractJsonSchema();
    } else {
      session.out << config::PipelineJsonSchema();
    }
    return exit_code::kOk;
  };
  return command;
}

}  // namespace

Command MakeConfigCommand() {
  Command command;
  command.name = "config";
  command.summary = "Shows what a pipeline file says and what it may say";
  command.examples = {{"weir config echo -c pipeline.yaml", "with all defaults"},
                      {"weir config schema", "for the editor"}};
  command.commands.push_back(MakeEcho());
  command.commands.push_back(MakeSchema());
  return command;
}

}  // namespace weir::app
