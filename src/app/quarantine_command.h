#pragma once
// weir quarantine: the events that broke the contract, by cause, and each as it came.

#include "app/command.h"

namespace weir::app {

Command MakeQuarantineCommand();

}  // namespace weir::app
