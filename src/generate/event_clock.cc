#include "generate/event_clock.h"

#include <algorithm>
#include <array>

#include "generate/draw.h"

namespace weir::generate {
namespace {

constexpr std::int64_t kMicrosPerHour = 3'600 * kMicrosPerSecond;

// At each full hour; in between, a straight line. The mean is 1000.
constexpr std::array<std::uint16_t, 24> kHours = {420,  300,  230,  200,  220,  340,  560,  820,
                                                  1050, 1200, 1290, 1320, 1340, 1350, 1310, 1290,
                                                  1310, 1400, 1500, 1640, 1660, 1520, 1050, 680};

constexpr std::uint64_t SumOfHours() {
  std::uint64_t sum = 0;
  for (const std::uint16_t hour : kHours) sum += hour;
  return sum;
}
static_assert(SumOfHours() == 24'000);

}  // namespace

std::uint64_t DayCurve(Micros time) {
  const std::int64_t in_day = time - FloorDay(time) * kMicrosPerDay;
  const auto hour = static_cast<std::size_t>(in_day / kMicrosPerHour);
  const std::int64_t in_hour = in_day % kMicrosPerHour;
  const std::int64_t from = kHours[hour];
  const std::int64_t to = kHours[(hour + 1) % kHours.size()];
  return static_cast<std::uint64_t>(from + (to - from) * in_hour / kMicrosPerHour);
}

Micros EventClock::Advance(Random& random) {
  if (rate_ != 0) {
    present_ = start_ + static_cast<Micros>(count_ / rate_ * kMicrosPerSecond +
                                            count_ % rate_ * kMicrosPerSecond / rate_);
    ++count_;
    return present_;
  }
  // Uniform in (0, 2 * mean], so that the mean gap is right and gaps vary.
  const std::uint64_t mean_gap =
      std::uint64_t{kMicrosPerSecond} * 1000 / (mean_rate_ * DayCurve(present_));
  present_ += 1 + Pick(random, std::max<std::uint64_t>(2 * mean_gap, 1));
  return present_;
}

std::uint64_t EventClock::RateNow() const {
  const std::uint64_t rate = rate_ != 0 ? rate_ : mean_rate_ * DayCurve(present_) / 1000;
  return std::max<std::uint64_t>(rate, 1);
}

}  // namespace weir::generate
