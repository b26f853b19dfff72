#pragma once
// `weir replay`: makes tables anew from the raw records, beside the live ones.

#include "app/command.h"

namespace weir::app {

Command MakeReplayCommand();

}  // namespace weir::app
