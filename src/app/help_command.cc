#include "app/help_command.h"

#include <cctype>
#include <charconv>
#include <memory>

#include "app/command_line.h"
#include "app/help_text.h"
#include "app/session.h"

namespace weir::app {
namespace {

struct HelpOptions {
  std::vector<std::string> topics;
  bool markdown = false;
};

// "WEIR0401", "weir401", "0401" and "401".
std::optional<ErrorCode> ErrorCodeOf(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (text.starts_with("WEIR")) text.erase(0, 4);
  std::uint16_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || at != end) return std::nullopt;
  return static_cast<ErrorCode>(number);
}

Error Unknown(const std::string& topic, const Command& root) {
  std::vector<std::string> names{"errors"};
  for (const Command& command : root.commands) names.push_back(command.name);
  const std::string meant = DidYouMean(topic, names);
  Error error =
      InvalidInput("weir help: there is no command or error `" + topic + "`", ErrorCode::kUsage);
  return WithRemedy(std::move(error), meant.empty() ? "`weir help` lists the commands, `weir help "
                                                      "errors` the errors"
                                                    : "did you mean `" + meant + "`?");
}

Result<int> RunHelp(const HelpOptions& options, Session& session) {
  const Command& root = *session.root;
  std::vector<const Command*> path{&root};
  if (options.topics.empty()) {
    session.out << (options.markdown ? CommandsMarkdown(root)
                                     : HelpText(path, session.out_terminal.width));
    return exit_code::kOk;
  }
  const std::string& first = options.topics.front();
  if (first == "errors") {
    session.out << (options.markdown ? ErrorsMarkdown() : ErrorsText());
    return exit_code::kOk;
  }
  if (const auto code = ErrorCodeOf(first)) {
    const ErrorCatalogEntry* entry = FindError(*code);
    if (entry == nullptr) return Unknown(first, root);
    session.out << ErrorText(*entry);
    return exit_code::kOk;
  }
  for (const std::string& topic : options.topics) {
    const Command* command = path.back()->Find(topic);
    if (command == nullptr) return Unknown(topic, *path.back());
    path.push_back(command);
  }
  session.out << HelpText(path, session.out_terminal.width);
  return exit_code::kOk;
}

}  // namespace

Command MakeHelpCommand() {
  auto options = std::make_shared<HelpOptions>();
  Command command;
  command.name = "help";
  command.summary = "Explains a command or an error";
  command.examples = {{"weir help run", "what `weir run` does"},
                      {"weir help errors", "every error with its code"},
                      {"weir help WEIR0401", "one of them: meaning, cause, remedy"}};
  command.options = {{.names = "TOPIC",
                      .value = "TOPIC",
                      .help = "a command, `errors`, or the code of an error",
                      .target = &options->topics},
                     {.names = "--markdown",
                      .help = "print docs/CLI.md, or with `errors` docs/ERRORS.md",
                      .target = &options->markdown}};
  command.run = [options](Session& session) { return RunHelp(*options, session); };
  return command;
}

}  // namespace weir::app
