#pragma once
// weir config echo, weir config schema: the pipeline as Weir understood it, and what may stand in
// it.

#include "app/command.h"

namespace weir::app {

Command MakeConfigCommand();

}  // namespace weir::app
