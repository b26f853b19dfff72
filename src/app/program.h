#pragma once
// The program: from words to an exit code. Errors are printed here, once.

#include <string>
#include <vector>

#include "app/session.h"

namespace weir::app {

/// Runs one command line in a session; `session.options` is filled from it. Prints any error.
int RunCommandLine(const std::vector<std::string>& words, Session& session);

/// The whole life of the process but for static set-up: streams, signals, exceptions.
int RunProgram(int argc, char** argv);

}  // namespace weir::app
