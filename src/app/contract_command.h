#pragma once
// weir contract ...: what a contract says, what the step to another one means, where its events go
// astray, and its way from and to other forms.

#include "app/command.h"

namespace weir::app {

Command MakeContractCommand();

}  // namespace weir::app
