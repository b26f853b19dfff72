#pragma once
// Terminal: what a stream of the process is connected to. Decides about colour, width and whether
// anything may move.

namespace weir::app {

struct Terminal {
  bool is_terminal = false;
  bool color = false;  // NO_COLOR unset or empty, TERM not "dumb"
  int width = 0;       // columns; 0: not limited
};

/// Looks at a file descriptor and the environment.
Terminal InspectTerminal(int descriptor);

}  // namespace weir::app
