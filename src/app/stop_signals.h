#pragma once
// StopSignals: turns the first SIGINT or SIGTERM into a stop request, and ends the process at once,
// with 130 or 143, on the second.
//
// Made by long-running commands before they start any thread: the signals are blocked from then on
// in the calling thread and all that it starts, and one thread waits for them. One object at a
// time.

#include <atomic>
#include <stop_token>
#include <thread>

namespace weir::app {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// Asks for the stop as a signal would.
  void RequestStop() { source_.request_stop(); }

 private:
  void Wait();

  std::stop_source source_;
  std::atomic<bool> closing_{false};
  std::thread waiter_;
};

/// Signals that must not end the process: writes report EPIPE and EFBIG instead.
void IgnoreWriteSignals();

}  // namespace weir::app
