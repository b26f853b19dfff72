#pragma once
// weir tail: shows records of a topic, as they are or as they come.

#include "app/command.h"

namespace weir::app {

Command MakeTailCommand();

}  // namespace weir::app
