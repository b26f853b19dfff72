#pragma once
// `weir explain`: why a pipeline stands where it stands, in words.

#include "app/command.h"

namespace weir::app {

Command MakeExplainCommand();

}  // namespace weir::app
