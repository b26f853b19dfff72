#pragma once
// `weir quarantine why-dropped`: rows that dedupe dropped, and the row that each of them repeats.

#include "app/command.h"

namespace weir::app {

Command MakeWhyDroppedCommand();

}  // namespace weir::app
