#include "app/stop_signals.h"

#include <csignal>

#include <pthread.h>
#include <unistd.h>

#include "base/log.h"

namespace weir::app {
namespace {

sigset_t StopSet(HangUp hang_up) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (hang_up == HangUp::kReadAgain) sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

StopSignals::StopSignals(HangUp hang_up) : hang_up_(hang_up) {
  // A shell starts background jobs with SIGINT ignored; an ignored signal is never delivered to
  // sigwait.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  const sigset_t set = StopSet(hang_up_);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::thread([this] { Wait(); });
}

StopSignals::~StopSignals() {
  closing_ = true;
  pthread_kill(waiter_.native_handle(), SIGINT);
  waiter_.join();
}

void StopSignals::Wait() {
  const sigset_t set = StopSet(hang_up_);
  for (bool first = true;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0 || closing_) return;
    if (signal == SIGHUP) {
      read_again_ = true;
      continue;
    }
    constexpr int kSignalExit = 128;
    if (!first) _exit(kSignalExit + signal);
    log::Info("stopping: finishing what is in work; a second signal exits at once",
              {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
    source_.request_stop();
    first = false;
  }
}

void IgnoreWriteSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace weir::app
