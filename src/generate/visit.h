#pragma once
// Visit: one visitor's way through the shop, one event at a time. A small state machine with fixed
// odds: products are looked at before they are put into the cart, the cart is filled before the
// checkout, a checkout comes before each purchase. One owner.

#include <array>
#include <cstdint>

#include "base/random.h"
#include "base/time.h"
#include "generate/catalogue.h"
#include "generate/shop_event.h"

namespace weir::generate {

inline constexpr std::uint32_t kUserCount = 200'000;

/// A user, some far more often than others.
std::uint32_t DrawUser(Random& random);

class Visit {
 public:
  /// A new visitor at the door.
  explicit Visit(Random& random);

  /// Fills all of the visit's next event but its time; false when it was the last one.
  bool Step(Random& random, const Catalogue& catalogue, ShopEvent& event);

  /// How long this visitor's events take to arrive. Constant, so that one visitor's events stay in
  /// order while those of different visitors mix.
  Micros latency() const { return latency_us_; }

 private:
  struct CartItem {
    std::uint16_t product = 0;
    std::uint8_t quantity = 0;
  };

  void ChooseClient(Random& random);
  void ChooseEntry(Random& random);
  void ViewPage(Random& random, ShopEvent& event);
  void ViewProduct(Random& random, const Catalogue& catalogue, ShopEvent& event);
  void AddToCart(Random& random, const Catalogue& catalogue, ShopEvent& event);
  void RemoveFromCart(Random& random, const Catalogue& catalogue, ShopEvent& event);
  void Purchase(Random& random, const Catalogue& catalogue, ShopEvent& event);
  bool ChooseNext(Random& random);

  std::uint64_t session_;
  std::uint64_t cart_;
  Page referrer_;
  std::uint32_t user_;
  std::uint32_t latency_us_ = 0;
  std::uint16_t product_ = 0;  // looked at last
  std::uint8_t category_;
  bool first_ = true;
  EventType next_ = EventType::kPageView;
  Device device_ = Device::kDesktop;
  Browser browser_ = Browser::kChrome;
  TrafficSource source_ = TrafficSource::kDirect;
  std::uint8_t item_count_ = 0;
  std::array<CartItem, 4> items_;
};

}  // namespace weir::generate
