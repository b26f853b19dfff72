#pragma once
// weir contract drift, weir contract promote: what the events of a topic have that the contract
// does not say, and the change that would make it say so. Reads the log, not the tables: it sees
// what was ignored, kept, rejected and quarantined alike.

#include "app/command.h"

namespace weir::app {

Command MakeContractDriftCommand();
Command MakeContractPromoteCommand();

}  // namespace weir::app
