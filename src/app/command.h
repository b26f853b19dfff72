#pragma once
// Command: one command of the program as plain data: its words, options, examples and what runs it.
//
// The tree of commands is the one source of parsing, `--help`, shell completion and docs/CLI.md. An
// option writes into a variable that the command's `run` keeps alive. Built once at start.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace weir::app {

struct Session;

/// Where the value of an option goes. A vector takes one value each time the option is given.
using OptionTarget = std::variant<bool*, std::string*, std::optional<std::string>*,
                                  std::optional<std::int64_t>*, std::vector<std::string>*>;

struct Option {
  std::string names;       // "-c,--config"; without a dash ("TABLE") a positional argument
  std::string value = {};  // what help calls the value: "FILE"; empty for a flag
  std::string help;        // one sentence without a dot
  OptionTarget target;
  std::vector<std::string> choices = {};  // the only values that it takes; empty: any
  bool required = false;

  bool is_positional() const { return !names.starts_with('-'); }
  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  bool is_repeatable() const { return std::holds_alternative<std::vector<std::string>*>(target); }
  /// {"-c", "--config"}, in the order of `names`.
  std::vector<std::string> spellings() const;
};

struct Example {
  std::string line;
  std::string why;
};

struct Command {
  std::string name;
  std::string summary;  // one line without a dot
  std::vector<Example> examples;
  std::string details;  // paragraphs, wrapped by whoever prints them; may be empty
  std::vector<Option> options;
  std::vector<Command> commands;
  /// The exit code, or an error that the caller prints. Empty for a command that only groups
  /// others.
  std::function<Result<int>(Session&)> run;

  const Command* Find(std::string_view command_name) const;
};

/// The word of `known` that was probably meant; empty when none is near.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

/// The span of an option: "500ms", "10m". kInvalidInput WEIR0701.
Result<Micros> ParseSpanOption(std::string_view name, std::string_view text);

}  // namespace weir::app
