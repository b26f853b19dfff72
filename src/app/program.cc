#include "app/program.h"

#include <cstring>
#include <exception>
#include <new>

#include <unistd.h>

#include "app/command_line.h"
#include "app/command_tree.h"
#include "app/descriptor_stream.h"
#include "app/error_report.h"
#include "app/help_text.h"
#include "app/stop_signals.h"
#include "base/fail_point.h"
#include "base/log.h"

namespace weir::app {
namespace {

// Without memory nothing may be built any more: plain bytes to the descriptor.
void Say(const char* text) {
  // NOLINTNEXTLINE(bugprone-unused-return-value): there is nobody left to tell
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// An exception that nobody caught, on whichever thread: one line, never a stack trace.
[[noreturn]] void EndByException() {
  try {
    if (auto current = std::current_exception()) std::rethrow_exception(current);
    Say("error[WEIR0901]: the program was ended by the runtime\n");
  } catch (const std::bad_alloc&) {
    Say("error: out of memory\n");
  } catch (const std::exception& exception) {
    Say("error[WEIR0901]: ");
    Say(exception.what());
    Say("\n");
  } catch (...) {
    Say("error[WEIR0901]: an unknown exception\n");
  }
  // Not exit(): other threads still run, and no destructor may see the broken state.
  _exit(exit_code::kFailed);
}

void ConfigureLog(const SharedOptions& options) {
  log::Level level = log::Level::kInfo;
  if (options.quiet) level = log::Level::kWarn;
  if (options.verbose) level = log::Level::kDebug;
  log::Configure(level, options.log_format == "json" ? log::Format::kJson : log::Format::kText);
}

int NoCommand(const ParsedLine& line, Session& session) {
  if (line.path.size() == 1) {
    session.err << HelpText(line.path, session.err_terminal.width);
    return exit_code::kUsage;
  }
  std::string names;
  for (const Command& child : line.command->commands) {
    names += (names.empty() ? "" : ", ") + child.name;
  }
  PrintError(WithRemedy(InvalidInput(PathText(line.path) + " needs a command: " + names,
                                     ErrorCode::kUsage),
                        "see `" + PathText(line.path) + " --help`"),
             session);
  return exit_code::kUsage;
}

}  // namespace

int RunCommandLine(const std::vector<std::string>& words, Session& session) {
  const Command root = MakeCommandTree(session.options);
  session.root = &root;
  auto line = ParseCommandLine(root, words);
  if (!line) {
    PrintError(line.error(), session);
    return ExitCodeOf(line.error());
  }
  if (line->help) {
    session.out << HelpText(line->path, session.out_terminal.width);
    return exit_code::kOk;
  }
  ConfigureLog(session.options);
  if (!line->command->run) return NoCommand(*line, session);
  auto code = line->command->run(session);
  if (code) return *code;
  PrintError(code.error(), session);
  return ExitCodeOf(code.error());
}

int RunProgram(int argc, char** argv) {
  std::set_terminate(EndByException);
  try {
    ArmFailPoints();
    IgnoreWriteSignals();
    const config::ProcessEnvironment environment;
    DescriptorStream out(STDOUT_FILENO);
    DescriptorStream err(STDERR_FILENO);
    err << std::unitbuf;
    Session session{.out = out,
                    .err = err,
                    .out_terminal = InspectTerminal(STDOUT_FILENO),
                    .err_terminal = InspectTerminal(STDERR_FILENO),
                    .options = {},
                    .clock = SystemClock(),
                    .environment = environment};
    std::vector<std::string> words(argv + 1, argv + argc);
    if (words == std::vector<std::string>{"--version"}) words = {"version"};
    const int code = RunCommandLine(words, session);
    if (Status written = out.Finish(); !written) {
      PrintError(written.error(), session);
      return ExitCodeOf(written.error());
    }
    return code;
  } catch (...) {
    EndByException();
  }
}

}  // namespace weir::app
