#pragma once
// The tree of all commands. Built once at start; its options write into `options`, which must
// outlive it, and into what the commands keep.

#include "app/command.h"
#include "app/session.h"

namespace weir::app {

Command MakeCommandTree(SharedOptions& options);

}  // namespace weir::app
