#include "generate/shop_event.h"

namespace weir::generate {
namespace {

template <typename Enum, std::size_t N>
std::string_view NameIn(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

constexpr std::array<std::string_view, kEventTypeCount> kEventTypes = {
    "page_view",        "search",         "product_view", "add_to_cart",
    "remove_from_cart", "checkout_start", "purchase"};
constexpr std::array<std::string_view, 3> kDevices = {"desktop", "mobile", "tablet"};
constexpr std::array<std::string_view, 5> kBrowsers = {"chrome", "safari", "firefox", "edge",
                                                       "samsung_internet"};
constexpr std::array<std::string_view, 6> kSources = {"direct", "organic_search", "paid_search",
                                                      "email",  "social",         "referral"};

}  // namespace

std::string_view ToString(EventType type) { return NameIn(kEventTypes, type); }
std::string_view ToString(Device device) { return NameIn(kDevices, device); }
std::string_view ToString(Browser browser) { return NameIn(kBrowsers, browser); }
std::string_view ToString(TrafficSource source) { return NameIn(kSources, source); }

Micros ShownTime(const ShopEvent& event, Micros time) {
  if (IsFromApp(event)) return time;
  const Micros rest = time % kMicrosPerMilli;
  return time - (rest < 0 ? rest + kMicrosPerMilli : rest);
}

UuidText ToUuidText(EventId id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint64_t high = (id.high & ~std::uint64_t{0xf000}) | 0x4000U;         // version 4
  const std::uint64_t low = (id.low & 0x3fffffffffffffffU) | 0x8000000000000000U;  // variant 1
  UuidText text;
  std::size_t at = 0;
  for (int digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) text[at++] = '-';
    const std::uint64_t word = digit < 16 ? high : low;
    text[at++] = kDigits[(word >> (60 - 4 * (digit % 16))) & 0xf];
  }
  return text;
}

}  // namespace weir::generate
