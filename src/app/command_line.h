#pragma once
// Reads a command line against the tree of commands. The only place, with its source, that knows
// the parsing library. Values are written into the targets of the options.

#include <string>
#include <vector>

#include "app/command.h"

namespace weir::app {

struct ParsedLine {
  const Command* command = nullptr;  // the one that was named; the root when none was
  std::vector<const Command*> path;  // from the root to it
  bool help = false;                 // -h or --help somewhere: nothing was written
};

/// `words` are the arguments behind the program's name. Options of the root are taken anywhere.
/// kInvalidInput WEIR0701, with what was probably meant.
Result<ParsedLine> ParseCommandLine(const Command& root, const std::vector<std::string>& words);

/// "weir tables show".
std::string PathText(const std::vector<const Command*>& path);

}  // namespace weir::app
