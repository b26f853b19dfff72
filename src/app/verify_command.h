#pragma once
// weir verify: do the tables hold exactly what was read?

#include "app/command.h"

namespace weir::app {

Command MakeVerifyCommand();

}  // namespace weir::app
