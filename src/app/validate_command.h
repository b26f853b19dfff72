#pragma once
// weir validate: everything that would keep `weir run` from working, before it runs.

#include "app/command.h"

namespace weir::app {

Command MakeValidateCommand();

}  // namespace weir::app
