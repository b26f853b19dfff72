#pragma once
// Shop: the visitors that are in the shop at the same time. Draws one event after the other, each
// of a visitor chosen by chance, so that visits interleave as they do in a real log. One owner; the
// sequence is a function of the seed and of what Next is called with.

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "generate/catalogue.h"
#include "generate/shop_event.h"
#include "generate/visit.h"

namespace weir::generate {

class Shop {
 public:
  /// The catalogue must outlive the shop.
  Shop(std::uint64_t seed, const Catalogue& catalogue) : catalogue_(catalogue), random_(seed) {}

  /// present: when the event arrives; it happened a little earlier, by its visitor's latency.
  /// visitors_wanted: how many visitors there should be now; the shop fills and empties towards it.
  void Next(Micros present, std::uint32_t visitors_wanted, ShopEvent& event);

 private:
  const Catalogue& catalogue_;
  Random random_;
  std::vector<Visit> visits_;
  std::uint64_t drawn_ = 0;
};

}  // namespace weir::generate
