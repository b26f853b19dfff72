#pragma once
// Completion scripts of shells, written from the tree of commands. Pure functions.

#include <string>

#include "app/command.h"

namespace weir::app {

/// shell: "bash", "zsh" or "fish".
std::string CompletionScript(const Command& root, const std::string& shell);

}  // namespace weir::app
