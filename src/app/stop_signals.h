#pragma once
// StopSignals: turns the first SIGINT or SIGTERM into a stop request, and ends the process at once,
// with 130 or 143, on the second. A SIGHUP asks for what changed to be read again, where the
// command can do that.
//
// Made by long-running commands before they start any thread: the signals are blocked from then on
// in the calling thread and all that it starts, and one thread waits for them. One object at a
// time.

#include <atomic>
#include <stop_token>
#include <thread>

namespace weir::app {

/// What a SIGHUP means.
enum class HangUp {
  kEnds,      // the process, as if nobody had thought of it
  kReadAgain  // see TakeReadAgain
};

class StopSignals {
 public:
  explicit StopSignals(HangUp hang_up = HangUp::kEnds);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// Whether a SIGHUP came since the last call. Safe from any thread.
  bool TakeReadAgain() const { return read_again_.exchange(false); }
  /// Asks for the stop as a signal would.
  void RequestStop() { source_.request_stop(); }

 private:
  void Wait();

  const HangUp hang_up_;
  std::stop_source source_;
  mutable std::atomic<bool> read_again_{false};
  std::atomic<bool> closing_{false};
  std::thread waiter_;
};

/// Signals that must not end the process: writes report EPIPE and EFBIG instead.
void IgnoreWriteSignals();

}  // namespace weir::app
