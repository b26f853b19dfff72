#pragma once
// weir produce: writes lines of standard input to a topic, each a value or a whole record.

#include "app/command.h"

namespace weir::app {

Command MakeProduceCommand();

}  // namespace weir::app
