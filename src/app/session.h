#pragma once
// Session: what a command runs in: its streams, the options that all commands share, the clock and
// the environment. Tests make one over string streams.

#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "app/terminal.h"
#include "base/clock.h"
#include "base/result.h"
#include "config/environment.h"

namespace weir::app {

struct Command;

enum class OutputFormat { kTable, kJson, kNdjson, kCsv };

/// Options that every command takes.
struct SharedOptions {
  std::optional<std::string> config;
  std::string format = "table";
  std::string log_format = "text";
  bool quiet = false;
  bool verbose = false;
  bool no_color = false;
};

struct Session {
  std::ostream& out;  // data, and nothing else
  std::ostream& err;  // messages for people
  Terminal out_terminal;
  Terminal err_terminal;
  SharedOptions options;
  Clock& clock;
  const config::Environment& environment;
  const Command* root = nullptr;  // the whole tree, for help and completion

  OutputFormat format() const;
  /// A line for people on the error stream, unless they want quiet.
  void Note(std::string_view text);
  /// For commands whose answer is one document. kInvalidInput WEIR0701 for ndjson and csv.
  Result<bool> WantsJson() const;
  /// The pipeline file: -c, else `pipeline.yaml` of the current folder.
  std::string config_file() const { return options.config.value_or("pipeline.yaml"); }
};

}  // namespace weir::app
