#pragma once
// EventClock: the made-up shop's own time. It moves on with each event: by the daily curve of a
// shop with some customers in every zone but most of them in Europe, or evenly at a given rate.
// Integers only, one owner.

#include <cstdint>

#include "base/random.h"
#include "base/time.h"

namespace weir::generate {

class EventClock {
 public:
  /// mean_rate: events a second, averaged over a day. rate: if not 0, evenly so many instead.
  EventClock(Micros start, std::uint64_t mean_rate, std::uint64_t rate)
      : start_(start), mean_rate_(mean_rate), rate_(rate), present_(start) {}

  /// The moment when the next event arrives. Never falls.
  Micros Advance(Random& random);

  /// Of the last event, or the start.
  Micros present() const { return present_; }

  /// Events a second at the present, at least 1.
  std::uint64_t RateNow() const;

 private:
  Micros start_;
  std::uint64_t mean_rate_;
  std::uint64_t rate_;
  Micros present_;
  std::uint64_t count_ = 0;
};

/// How busy the shop is at a time of day, in thousandths of the day's mean. UTC.
std::uint64_t DayCurve(Micros time);

}  // namespace weir::generate
