#pragma once
// weir demo: a shop, its log and the retail job in one process and one fresh folder.

#include "app/command.h"

namespace weir::app {

Command MakeDemoCommand();

}  // namespace weir::app
