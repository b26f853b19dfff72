#pragma once
// `weir trace`: where an event went: its records in the log, and what became of each.

#include "app/command.h"

namespace weir::app {

Command MakeTraceCommand();

}  // namespace weir::app
