#include "app/command_tree.h"

#include "app/completion_command.h"
#include "app/config_command.h"
#include "app/contract_command.h"
#include "app/demo_command.h"
#include "app/explain_command.h"
#include "app/generate_command.h"
#include "app/help_command.h"
#include "app/import_command.h"
#include "app/produce_command.h"
#include "app/quarantine_command.h"
#include "app/replay_command.h"
#include "app/run_command.h"
#include "app/status_command.h"
#include "app/tables_command.h"
#include "app/tail_command.h"
#include "app/test_command.h"
#include "app/trace_command.h"
#include "app/validate_command.h"
#include "app/verify_command.h"
#include "app/version_command.h"

namespace weir::app {
namespace {

std::vector<Option> MakeSharedOptions(SharedOptions& options) {
  return {
      {.names = "-c,--config",
       .value = "FILE",
       .help = "the pipeline file; pipeline.yaml unless given",
       .target = &options.config},
      {.names = "--format",
       .value = "FORMAT",
       .help = "how data is printed",
       .target = &options.format,
       .choices = {"table", "json", "ndjson", "csv"}},
      {.names = "-q,--quiet",
       .help = "only warnings and errors on standard error",
       .target = &options.quiet},
      {.names = "-v,--verbose", .help = "say more on standard error", .target = &options.verbose},
      {.names = "--log-format",
       .value = "FORMAT",
       .help = "how messages are printed",
       .target = &options.log_format,
       .choices = {"text", "json"}},
      {.names = "--no-color",
       .help = "no colour, as with NO_COLOR in the environment",
       .target = &options.no_color}};
}

}  // namespace

Command MakeCommandTree(SharedOptions& options) {
  Command root;
  root.name = "weir";
  root.summary = "Keeps exact Iceberg and Delta tables of a clickstream, exactly once";
  root.examples = {{"weir demo", "a shop, its log and its table, in this folder"},
                   {"weir validate -c pipeline.yaml", "what would `run` say?"},
                   {"weir run -c pipeline.yaml", "until Ctrl-C"}};
  root.options = MakeSharedOptions(options);
  root.commands.push_back(MakeDemoCommand());
  root.commands.push_back(MakeRunCommand());
  root.commands.push_back(MakeValidateCommand());
  root.commands.push_back(MakeConfigCommand());
  root.commands.push_back(MakeContractCommand());
  root.commands.push_back(MakeGenerateCommand());
  root.commands.push_back(MakeProduceCommand());
  root.commands.push_back(MakeTailCommand());
  root.commands.push_back(MakeTablesCommand());
  root.commands.push_back(MakeVerifyCommand());
  root.commands.push_back(MakeStatusCommand());
  root.commands.push_back(MakeQuarantineCommand());
  root.commands.push_back(MakeTestCommand());
  root.commands.push_back(MakeTraceCommand());
  root.commands.push_back(MakeExplainCommand());
  root.commands.push_back(MakeReplayCommand());
  root.commands.push_back(MakeImportCommand());
  root.commands.push_back(MakeVersionCommand());
  root.commands.push_back(MakeHelpCommand());
  root.commands.push_back(MakeCompletionCommand());
  return root;
}

}  // namespace weir::app
