#include "app/command_line.h"

#include <algorithm>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "config/quantity.h"

namespace weir::app {
namespace {

using Path = std::vector<const Command*>;

Error UsageError(const Path& path, std::string message, const std::string& meant = {}) {
  Error error = InvalidInput(PathText(path) + ": " + std::move(message), ErrorCode::kUsage);
  if (!meant.empty()) return WithRemedy(std::move(error), "did you mean `" + meant + "`?");
  return WithRemedy(std::move(error), "see `" + PathText(path) + " --help`");
}

// What a bad value looks like to the library: it only carries the text to our catch.
[[noreturn]] void Refuse(const std::string& message) { throw CLI::ValidationError(message); }

void CheckChoice(const Option& option, const std::string& value) {
  if (option.choices.empty() || std::ranges::count(option.choices, value) > 0) return;
  const std::string meant = DidYouMean(value, option.choices);
  Refuse(fmt::format("`{}` takes {}, not `{}`{}", option.spellings().back(),
                     fmt::join(option.choices, ", "), value,
                     meant.empty() ? "" : "; did you mean `" + meant + "`?"));
}

std::int64_t CountOf(const Option& option, const std::string& value) {
  auto count = config::ParseCount(value);
  if (!count) {
    Refuse(fmt::format("`{}` takes a whole number, not `{}`", option.spellings().back(), value));
  }
  return *count;
}

template <class... Parts>
struct Overloaded : Parts... {
  using Parts::operator()...;
};
template <class... Parts>
Overloaded(Parts...) -> Overloaded<Parts...>;

void AddOption(CLI::App& app, const Option& option) {
  const auto add_value = [&](std::function<void(const std::string&)> take) {
    return app.add_option_function<std::string>(
        option.names, [&option, take = std::move(take)](const std::string& value) {
          CheckChoice(option, value);
          take(value);
        });
  };
  CLI::Option* added = std::visit(
      Overloaded{
          [&](bool* target) -> CLI::Option* { return app.add_flag(option.names, *target); },
          [&](std::string* target) {
            return add_value([target](const std::string& value) { *target = value; });
          },
          [&](std::optional<std::string>* target) {
            return add_value([target](const std::string& value) { *target = value; });
          },
          [&](std::optional<std::int64_t>* target) {
            return add_value(
                [target, &option](const std::string& value) { *target = CountOf(option, value); });
          },
          [&](std::vector<std::string>* target) {
            CLI::Option* made = app.add_option_function<std::vector<std::string>>(
                option.names, [target, &option](const std::vector<std::string>& values) {
                  for (const std::string& value : values) CheckChoice(option, value);
                  *target = values;
                });
            return option.is_positional() ? made : made->allow_extra_args(false);
          },
      },
      option.target);
  added->required(option.required);
}

void Build(CLI::App& app, const Command& command, const std::vector<Option>& shared) {
  app.set_help_flag();
  for (const Option& option : shared) {
    // A word of a command's own goes before the shared one.
    const bool is_own =
        &command.options != &shared &&
        std::ranges::find(command.options, option.names, &Option::names) != command.options.end();
    if (!is_own) AddOption(app, option);
  }
  if (&command.options != &shared) {
    for (const Option& option : command.options) AddOption(app, option);
  }
  for (const Command& child : command.commands) {
    Build(*app.add_subcommand(child.name), child, shared);
  }
  if (!command.commands.empty()) app.require_subcommand(0, 1);
}

// The commands that were named, as far as they are known.
Path PathOf(const Command& root, const CLI::App& parsed) {
  Path path{&root};
  const CLI::App* at = &parsed;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path.push_back(path.back()->Find(at->get_name()));
  }
  return path;
}

std::vector<std::string> Names(const std::vector<Command>& commands) {
  std::vector<std::string> names(commands.size());
  std::ranges::transform(commands, names.begin(), &Command::name);
  return names;
}

std::vector<std::string> OptionNames(const Path& path) {
  std::vector<std::string> names{"--help"};
  for (const auto* owner : {path.front(), path.back()}) {
    for (const Option& option : owner->options) {
      if (option.is_positional()) continue;
      for (std::string& spelling : option.spellings()) names.push_back(std::move(spelling));
    }
  }
  return names;
}

Error Unexpected(const Path& path, std::string word) {
  word = word.substr(0, word.find('='));
  if (word.starts_with('-')) {
    return UsageError(path, "unknown option `" + word + "`", DidYouMean(word, OptionNames(path)));
  }
  if (!path.back()->commands.empty()) {
    const std::vector<std::string> names = Names(path.back()->commands);
    return UsageError(path, "unknown command `" + word + "`", DidYouMean(word, names));
  }
  return UsageError(path, "`" + word + "` is one argument too many");
}

// The library names the option before a colon, or at the start of "... is required".
Error FromLibrary(const Path& path, const CLI::ParseError& error) {
  std::string message = error.what();
  const std::string name = message.substr(0, message.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool lacks_value = message.find("missing") != std::string::npos;
    message = "`" + name + (lacks_value ? "` needs a value" : "` is given more than once");
  }
  return UsageError(path, std::move(message));
}

// Help is asked for wherever it stands, also where the rest of the line is wrong.
std::optional<ParsedLine> AskedForHelp(const Command& root, const std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  const bool asked = std::any_of(
      words.begin(), end, [](const std::string& word) { return word == "--help" || word == "-h"; });
  if (!asked) return std::nullopt;
  Path path{&root};
  for (auto word = words.begin(); word != end; ++word) {
    if (const Command* child = path.back()->Find(*word)) path.push_back(child);
  }
  return ParsedLine{path.back(), path, true};
}

}  // namespace

std::string PathText(const std::vector<const Command*>& path) {
  std::string text;
  for (const Command* command : path) text += (text.empty() ? "" : " ") + command->name;
  return text;
}

Result<ParsedLine> ParseCommandLine(const Command& root, const std::vector<std::string>& words) {
  if (auto help = AskedForHelp(root, words)) return std::move(*help);
  CLI::App app;
  try {
    Build(app, root, root.options);
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::ExtrasError&) {
    const Path path = PathOf(root, app);
    const std::vector<std::string> extras = app.remaining(true);
    return Unexpected(path, extras.empty() ? std::string() : extras.front());
  } catch (const CLI::ParseError& error) {
    return FromLibrary(PathOf(root, app), error);
  }
  const Path path = PathOf(root, app);
  return ParsedLine{path.back(), path, false};
}

}  // namespace weir::app
