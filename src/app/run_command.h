#pragma once
// weir run: runs a pipeline until it is stopped, caught up, or its time is over.

#include "app/command.h"

namespace weir::app {

Command MakeRunCommand();

}  // namespace weir::app
