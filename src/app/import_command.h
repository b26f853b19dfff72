#pragma once
// weir import: a pipeline begins where another program stopped: a Spark query, a consumer group.

#include "app/command.h"

namespace weir::app {

Command MakeImportCommand();

}  // namespace weir::app
