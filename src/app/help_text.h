#pragma once
// What the program says about itself, written from the tree of commands and the catalog of errors:
// `--help`, `weir help`, docs/CLI.md and docs/ERRORS.md. Pure functions.

#include <string>
#include <vector>

#include "app/command.h"
#include "base/error_catalog.h"

namespace weir::app {

/// Examples first, then usage, options and subcommands. width: of the lines.
std::string HelpText(const std::vector<const Command*>& path, int width);

/// docs/CLI.md: every command, and the exit codes.
std::string CommandsMarkdown(const Command& root);

/// All errors, one line each.
std::string ErrorsText();
/// One entry of the catalog.
std::string ErrorText(const ErrorCatalogEntry& entry);
/// docs/ERRORS.md.
std::string ErrorsMarkdown();

/// "weir run [-c FILE] [--once] TABLE".
std::string UsageOf(const std::vector<const Command*>& path);

/// Breaks a paragraph into lines of at most `width` columns; every line is indented.
std::string Wrap(const std::string& text, int indent, int width);

}  // namespace weir::app
