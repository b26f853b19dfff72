#include "generate/shop.h"

#include "generate/draw.h"

namespace weir::generate {
namespace {

// A visit has more than four events on average, so one newcomer in four events keeps the shop as
// full as wanted, and a shop that has just opened fills up without a burst of first page views.
constexpr std::uint64_t kEventsPerNewcomer = 4;

}  // namespace

void Shop::Next(Micros present, std::uint32_t visitors_wanted, ShopEvent& event) {
  std::size_t who = 0;
  const bool may_open = drawn_++ % kEventsPerNewcomer == 0 && visits_.size() < visitors_wanted;
  if (may_open || visits_.empty()) {
    who = visits_.size();
    visits_.emplace_back(random_);
  } else {
    who = Pick(random_, visits_.size());
  }
  Visit& visit = visits_[who];
  const Micros time = present - visit.latency();
  const bool stays = visit.Step(random_, catalogue_, event);
  event.time = ShownTime(event, time);
  if (!stays) {
    visit = visits_.back();
    visits_.pop_back();
  }
}

}  // namespace weir::generate
