#pragma once
// The clock port. Nothing in Weir asks the system for the time except through a Clock, so that a
// test can script it. Implementations are safe to call from any thread.

#include <atomic>

#include "base/time.h"

namespace weir {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Wall clock. May jump, also backwards.
  virtual Micros Now() const = 0;
  /// Never jumps; counts from an unspecified start. For durations and deadlines.
  virtual Micros Monotonic() const = 0;
  /// Blocks the calling thread for a span (a manual clock moves forward instead).
  virtual void Sleep(Micros span) = 0;
};

/// The system's clock.
Clock& SystemClock();

/// A clock that stands still until it is told to move.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Micros now) : now_(now) {}
  Micros Now() const override { return now_.load(); }
  Micros Monotonic() const override { return monotonic_.load(); }
  void Sleep(Micros span) override { Advance(span); }
  void Advance(Micros span);
  /// A jump of the wall clock alone, as an operator or NTP makes it.
  void SetWall(Micros now) { now_.store(now); }

 private:
  std::atomic<Micros> now_;
  std::atomic<Micros> monotonic_{0};
};

}  // namespace weir
