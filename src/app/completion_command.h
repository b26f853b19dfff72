#pragma once
// weir completion: prints the completion script of a shell.

#include "app/command.h"

namespace weir::app {

Command MakeCompletionCommand();

}  // namespace weir::app
