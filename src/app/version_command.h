#pragma once
// weir version: this program and the libraries that it runs with.

#include "app/command.h"

namespace weir::app {

Command MakeVersionCommand();

}  // namespace weir::app
