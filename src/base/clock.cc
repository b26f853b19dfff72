#include "base/clock.h"

#include <chrono>
#include <thread>

namespace weir {
namespace {

template <typename Source>
Micros Read() {
  const auto since = Source::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

class RealClock final : public Clock {
 public:
  Micros Now() const override { return Read<std::chrono::system_clock>(); }
  Micros Monotonic() const override { return Read<std::chrono::steady_clock>(); }
  void Sleep(Micros span) override { std::this_thread::sleep_for(std::chrono::microseconds(span)); }
};

}  // namespace

Clock& SystemClock() {
  static RealClock clock;
  return clock;
}

void ManualClock::Advance(Micros span) {
  now_.fetch_add(span);
  monotonic_.fetch_add(span);
}

}  // namespace weir
