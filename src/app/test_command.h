#pragma once
// weir test: runs scenarios and says what differs from what they expect.

#include "app/command.h"

namespace weir::app {

Command MakeTestCommand();

}  // namespace weir::app
