#pragma once
// ShopEvent: one thing that a visitor of the made-up shop did, before any shape writes it as bytes.
// A plain value; views and pointers in it live as long as the Catalogue.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace weir::generate {

struct Product;

enum class EventType : std::uint8_t {
  kPageView,
  kSearch,
  kProductView,
  kAddToCart,
  kRemoveFromCart,
  kCheckoutStart,
  kPurchase,
};
inline constexpr std::size_t kEventTypeCount = 7;
std::string_view ToString(EventType type);

enum class Device : std::uint8_t { kDesktop, kMobile, kTablet };
enum class Browser : std::uint8_t { kChrome, kSafari, kFirefox, kEdge, kSamsungInternet };
enum class TrafficSource : std::uint8_t { kDirect, kOrganic, kPaid, kEmail, kSocial, kReferral };
std::string_view ToString(Device device);
std::string_view ToString(Browser browser);
std::string_view ToString(TrafficSource source);

/// A page of the shop, or a page elsewhere that led to it. What `number` means depends on the kind.
struct Page {
  enum class Kind : std::uint8_t {
    kNone,
    kHome,
    kCampaign,    // home page with campaign parameters; number: TrafficSource
    kCollection,  // number: category
    kSearch,      // number: search query
    kProduct,     // number: product
    kCart,
    kCheckout,  // number: cart
    kOrder,     // number: order
    kOutside,   // number: TrafficSource
  };
  Kind kind = Kind::kNone;
  std::uint64_t number = 0;
};

/// 128 bits that read as a random UUID.
struct EventId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const EventId&) const = default;
};
using UuidText = std::array<char, 36>;
UuidText ToUuidText(EventId id);

struct ShopEvent {
  static constexpr std::int64_t kNoPrice = -1;

  EventId id;
  Micros time = 0;
  EventType type = EventType::kPageView;
  Device device = Device::kDesktop;
  Browser browser = Browser::kChrome;
  TrafficSource source = TrafficSource::kDirect;
  std::uint32_t user = 0;
  std::uint64_t session = 0;
  Page page;
  Page referrer;
  std::string_view category;         // of the product or the collection; empty: none
  const Product* product = nullptr;  // of the events that are about one
  std::uint64_t cart = 0;            // 0: none
  std::uint64_t order = 0;           // 0: none
  std::int32_t quantity = 0;         // 0: none
  std::int64_t price_cents = kNoPrice;
};

/// The browser of the shop sends milliseconds, shortest numbers and nulls; its mobile app sends
/// microseconds and two decimals and leaves out what it does not have.
inline bool IsFromApp(const ShopEvent& event) { return event.device == Device::kMobile; }

/// A time as the event's client shows it: in whole milliseconds unless it is the app.
Micros ShownTime(const ShopEvent& event, Micros time);

}  // namespace weir::generate
