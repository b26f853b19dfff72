#pragma once
// weir tables: lists, shows and creates the tables of a pipeline's catalog.

#include "app/command.h"

namespace weir::app {

Command MakeTablesCommand();

}  // namespace weir::app
