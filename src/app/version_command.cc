#include "app/version_command.h"

#include "app/build_info.h"
#include "app/listing.h"
#include "app/session.h"
#include "kafka/client_options.h"

namespace weir::app {
namespace {

Result<int> RunVersion(Session& session) {
  const std::string kafka = kafka::ClientLibrary();  // "librdkafka 2.15.1"
  WriteProperties({{"weir", ProgramVersion()},
                   {"commit", GitCommit().empty() ? Cell() : Cell(GitCommit())},
                   {"build", BuildType()},
                   {"compiler", CompilerName()},
                   {"arrow", ArrowVersion()},
                   {"librdkafka", kafka.substr(kafka.find(' ') + 1)},
                   {"sqlite", SqliteVersion()}},
                  session);
  return exit_code::kOk;
}

}  // namespace

Command MakeVersionCommand() {
  Command command;
  command.name = "version";
  command.summary = "Shows the version of the program and of its libraries";
  command.examples = {{"weir version", ""},
                      {"weir version --format json", "one object, for scripts and bug reports"}};
  command.run = RunVersion;
  return command;
}

}  // namespace weir::app
