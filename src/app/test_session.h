#pragma once
// For tests: a session over string streams, with a scripted environment.

#include <sstream>
#include <string>

#include "app/program.h"
#include "app/session.h"
#include "base/clock.h"
#include "config/environment.h"

namespace weir::app {

struct TestSession {
  std::ostringstream out;
  std::ostringstream err;
  ManualClock clock{1'764'500'000 * kMicrosPerSecond};
  config::ProcessEnvironment environment;
  Session session{.out = out,
                  .err = err,
                  .out_terminal = {},
                  .err_terminal = {},
                  .options = {},
                  .clock = clock,
                  .environment = environment};

  int Run(const std::vector<std::string>& words) {
    out.str("");
    err.str("");
    session.options = {};
    return RunCommandLine(words, session);
  }
};

}  // namespace weir::app
