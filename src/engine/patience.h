#pragma once
// Patience: how long to go on trying when a dependency is away, and what to say meanwhile.
//
// Waits between tries grow from 50 ms to 2 s with jitter. A person hears of it at the first wait
// that exceeds a second and then once a minute. A bounded run gives up after its limit with the
// last error; an unbounded one never does, until a stop is asked for: then it gets a last grace.

#include <optional>
#include <stop_token>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"

namespace weir::engine {

/// What a run allows: made once, copied to every place that waits.
struct PatienceRules {
  std::optional<Micros> limit;  // nullopt: for ever
  Micros grace_after_stop = 30 * kMicrosPerSecond;
  std::stop_token stop;
};

/// One wait for one thing. Not thread safe.
class Patience {
 public:
  Patience(Clock& clock, PatienceRules rules, std::string_view waiting_for);

  /// After a failed try: sleeps and returns Ok to try again, or the error when it is time to give
  /// up.
  Status After(const Error& error);
  /// After a try that worked: the next failure starts anew.
  void Reset();

 private:
  Clock& clock_;
  PatienceRules rules_;
  std::string_view waiting_for_;
  Random jitter_;
  Micros first_failure_ = 0;
  Micros last_said_ = 0;
  std::optional<Micros> stop_seen_;
  int failures_ = 0;
};

}  // namespace weir::engine
