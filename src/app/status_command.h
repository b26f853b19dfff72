#pragma once
// weir status: how a pipeline stands, healthy or not.

#include "app/command.h"

namespace weir::app {

Command MakeStatusCommand();

}  // namespace weir::app
