#include "app/stop_signals.h"

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/log.h"

namespace weir::app {
namespace {

void WaitForStop(const StopSignals& signals) {
  while (!signals.token().stop_requested()) usleep(1'000);
}

// Each runs in a process of its own: signals would stay blocked in this one.
class StopSignalsDeathTest : public testing::Test {
 protected:
  StopSignalsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StopSignalsDeathTest, TheFirstSignalAsksToStop) {
  EXPECT_EXIT(
      {
        const StopSignals signals;
        kill(getpid(), SIGTERM);
        WaitForStop(signals);
        _exit(0);
      },
      testing::ExitedWithCode(0), "stopping");
}

TEST_F(StopSignalsDeathTest, TheSecondSignalExitsAtOnce) {
  for (const int second : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(
        {
          const StopSignals signals;
          kill(getpid(), SIGINT);
          WaitForStop(signals);
          kill(getpid(), second);
          while (true) pause();
        },
        testing::ExitedWithCode(128 + second), "");
  }
}

TEST_F(StopSignalsDeathTest, WorksWhereAShellIgnoredTheInterrupt) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        const StopSignals signals;
        kill(getpid(), SIGINT);
        WaitForStop(signals);
        _exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(StopSignalsDeathTest, EndsWithoutASignal) {
  EXPECT_EXIT(
      {
        { const StopSignals signals; }
        _exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weir::app
