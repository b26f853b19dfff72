#pragma once
// weir help: about a command, an error, all errors; also prints docs/CLI.md and docs/ERRORS.md.

#include "app/command.h"

namespace weir::app {

Command MakeHelpCommand();

}  // namespace weir::app
