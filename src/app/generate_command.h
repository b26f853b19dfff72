#pragma once
// weir generate: events of a made-up shop into a topic or a file, with an answer key.

#include "app/command.h"

namespace weir::app {

Command MakeGenerateCommand();

}  // namespace weir::app
