#include "app/help_text.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "app/command_line.h"

namespace weir::app {
namespace {

constexpr int kLeastWidth = 60;
constexpr int kMostWidth = 100;

struct Entry {
  std::string left;
  std::string right;
};

// Two columns; an entry that is too long for the left one has its text on the next line.
std::string TwoColumns(const std::vector<Entry>& entries, int width) {
  constexpr std::size_t kMostLeft = 30;
  std::size_t left = 0;
  for (const Entry& entry : entries) {
    if (entry.left.size() <= kMostLeft) left = std::max(left, entry.left.size());
  }
  const int indent = static_cast<int>(left) + 4;
  std::string text;
  for (const Entry& entry : entries) {
    const std::string right = Wrap(entry.right, indent, width);
    if (entry.left.size() > left) {
      text += "  " + entry.left + "\n" + right;
    } else {
      text += fmt::format("  {:<{}}", entry.left, left + 2) +
              (right.empty() ? "\n" : right.substr(static_cast<std::size_t>(indent)));
    }
  }
  return text;
}

std::string OptionText(const Option& option) {
  std::string text;
  for (const std::string& spelling : option.spellings()) {
    text += (text.empty() ? "" : ", ") + spelling;
  }
  if (option.is_positional()) return option.is_repeatable() ? text + "..." : text;
  return option.value.empty() ? text : text + " " + option.value;
}

std::string OptionHelp(const Option& option) {
  std::string help = option.help;
  if (!option.choices.empty()) help += fmt::format(" ({})", fmt::join(option.choices, ", "));
  if (option.is_repeatable() && !option.is_positional()) help += "; may be given several times";
  return help;
}

std::vector<Entry> OptionEntries(const std::vector<Option>& options) {
  std::vector<Entry> entries;
  entries.reserve(options.size());
  for (const Option& option : options) entries.push_back({OptionText(option), OptionHelp(option)});
  return entries;
}

std::string Paragraphs(const std::string& details, int width) {
  std::string text;
  std::istringstream in(details);
  for (std::string line; std::getline(in, line);)
    text += line.empty() ? "\n" : Wrap(line, 0, width);
  return text;
}

std::string MarkdownOf(const std::vector<const Command*>& path, int level) {
  const Command& command = *path.back();
  std::string text =
      fmt::format("{} `{}`\n\n{}.\n\n", std::string(static_cast<std::size_t>(level), '#'),
                  PathText(path), command.summary);
  if (!command.examples.empty()) {
    std::vector<Entry> examples;
    for (const Example& example : command.examples) {
      text += (&example == &command.examples.front() ? "```\n" : "");
      text += example.why.empty() ? example.line + "\n"
                                  : fmt::format("{}    # {}\n", example.line, example.why);
    }
    text += "```\n\n";
  }
  if (!command.details.empty()) text += command.details + "\n\n";
  if (command.run) text += fmt::format("Usage: `{}`\n\n", UsageOf(path));
  if (!command.options.empty() && path.size() > 1) {
    text += "| option | meaning |\n|---|---|\n";
    for (const Option& option : command.options) {
      text += fmt::format("| `{}` | {} |\n", OptionText(option), OptionHelp(option));
    }
    text += "\n";
  }
  return text;
}

void AppendMarkdown(std::vector<const Command*>& path, int level, std::string& text) {
  text += MarkdownOf(path, level);
  for (const Command& child : path.back()->commands) {
    path.push_back(&child);
    AppendMarkdown(path, std::min(level + 1, 3), text);
    path.pop_back();
  }
}

constexpr std::string_view kExitCodes = R"(## Exit codes

| code | meaning |
|---|---|
| 0 | done, healthy, or stopped by the first SIGINT or SIGTERM |
| 1 | an unexpected failure, or a check that found something wrong (`verify`) |
| 3 | refused: a guard wants a deliberate decision |
| 10 | unhealthy (`status`) |
| 64 | the command line is not understood |
| 65 | bad data under `on_error: fail`, or input that is no envelope |
| 69 | a dependency is away |
| 75 | try again: another process is at work, or the storage is full |
| 78 | the pipeline file, the contract or the environment is wrong |
| 130, 143 | ended at once by a second SIGINT or SIGTERM; nothing is lost |

`docs/ERRORS.md` lists every error with its code.
)";

}  // namespace

std::string Wrap(const std::string& text, int indent, int width) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const auto limit = static_cast<std::size_t>(std::max(width, indent + 20));
  std::string wrapped;
  std::string line = margin;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (line.size() > margin.size() && line.size() + 1 + word.size() > limit) {
      wrapped += line + "\n";
      line = margin;
    }
    line += (line.size() > margin.size() ? " " : "") + word;
  }
  return line.size() > margin.size() ? wrapped + line + "\n" : wrapped;
}

std::string UsageOf(const std::vector<const Command*>& path) {
  std::string text = PathText(path);
  if (!path.back()->run) return text + " COMMAND";
  for (const Option& option : path.back()->options) {
    if (option.is_positional()) continue;
    std::string part = option.spellings().front();
    if (!option.value.empty()) part += " " + option.value;
    if (!option.required) part = "[" + part + "]";
    text += " " + part + (option.is_repeatable() ? "..." : "");
  }
  for (const Option& option : path.back()->options) {
    if (!option.is_positional()) continue;
    const std::string part = option.names + (option.is_repeatable() ? "..." : "");
    text += option.required ? " " + part : " [" + part + "]";
  }
  return text;
}

std::string HelpText(const std::vector<const Command*>& path, int width) {
  width = std::clamp(width == 0 ? kMostWidth : width, kLeastWidth, kMostWidth);
  const Command& command = *path.back();
  std::string text;
  if (!command.examples.empty()) {
    std::vector<Entry> examples;
    for (const Example& example : command.examples) examples.push_back({example.line, example.why});
    text += "Examples:\n" + TwoColumns(examples, width) + "\n";
  }
  text += Wrap(command.summary + ".", 0, width);
  if (!command.details.empty()) text += "\n" + Paragraphs(command.details, width);
  text += "\nUsage:\n" + Wrap(UsageOf(path), 2, width);
  if (!command.commands.empty()) {
    std::vector<Entry> commands;
    for (const Command& child : command.commands) commands.push_back({child.name, child.summary});
    text += "\nCommands:\n" + TwoColumns(commands, width);
  }
  if (!command.options.empty() && path.size() > 1) {
    text += "\nOptions:\n" + TwoColumns(OptionEntries(command.options), width);
  }
  text += "\nOptions of every command:\n" + TwoColumns(OptionEntries(path.front()->options), width);
  return text;
}

std::string CommandsMarkdown(const Command& root) {
  std::string text =
      "# Commands\n\nWritten by `weir help --markdown`; a test compares.\n\n"
      "Data goes to standard output, everything else to standard error.\n\n"
      "## Options of every command\n\n| option | meaning |\n|---|---|\n";
  for (const Option& option : root.options) {
    text += fmt::format("| `{}` | {} |\n", OptionText(option), OptionHelp(option));
  }
  text += "\n";
  std::vector<const Command*> path{&root};
  for (const Command& child : root.commands) {
    path.push_back(&child);
    AppendMarkdown(path, 2, text);
    path.pop_back();
  }
  return text + std::string(kExitCodes);
}

std::string ErrorsText() {
  std::vector<Entry> entries;
  for (const ErrorCatalogEntry& entry : ErrorCatalog()) {
    entries.push_back({ToString(entry.code), std::string(entry.meaning)});
  }
  return TwoColumns(entries, kMostWidth) + "\n`weir help WEIR0401` says more about one of them.\n";
}

std::string ErrorText(const ErrorCatalogEntry& entry) {
  return fmt::format("{}: {}\n\n", ToString(entry.code), entry.meaning) +
         TwoColumns({{"cause", std::string(entry.cause)},
                     {"what to do", std::string(entry.remedy)},
                     {"exit code", std::to_string(entry.exit_code)}},
                    kMostWidth);
}

std::string ErrorsMarkdown() {
  std::string text =
      "# Errors\n\nWritten by `weir help errors --markdown`; a test compares. `weir help WEIR0401` "
      "prints one of them.\nCodes are never reused.\n\n"
      "| code | exit | meaning | usual cause | what to do |\n|---|---|---|---|---|\n";
  for (const ErrorCatalogEntry& entry : ErrorCatalog()) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", ToString(entry.code), entry.exit_code,
                        entry.meaning, entry.cause, entry.remedy);
  }
  return text;
}

}  // namespace weir::app
