#include "generate/visit.h"

#include "base/check.h"
#include "generate/draw.h"

namespace weir::generate {
namespace {

constexpr std::size_t kLeave = kEventTypeCount;

// Odds in 256ths of what follows an event: a row per event type, a column per event type and one
// for leaving, in the order of EventType. What the cart does not allow becomes a page view.
constexpr std::array<std::array<std::uint16_t, kEventTypeCount + 1>, kEventTypeCount> kOdds = {{
    // view search product add remove checkout purchase leave
    {50, 50, 100, 0, 0, 8, 0, 48},
    {20, 44, 142, 0, 0, 0, 0, 50},
    {34, 30, 76, 64, 0, 0, 0, 52},
    {38, 10, 56, 0, 24, 90, 0, 38},
    {40, 16, 90, 0, 0, 40, 0, 70},
    {26, 0, 0, 0, 10, 0, 156, 64},
    {70, 0, 10, 0, 0, 0, 0, 176},
}};

// In 16ths, as the devices, browsers and sources of a real shop.
constexpr std::array<Device, 16> kDevices = {
    Device::kDesktop, Device::kDesktop, Device::kDesktop, Device::kDesktop,
    Device::kDesktop, Device::kDesktop, Device::kDesktop, Device::kMobile,
    Device::kMobile,  Device::kMobile,  Device::kMobile,  Device::kMobile,
    Device::kMobile,  Device::kMobile,  Device::kTablet,  Device::kTablet};
constexpr std::array<Browser, 8> kDesktopBrowsers = {
    Browser::kChrome, Browser::kChrome,  Browser::kChrome, Browser::kChrome,
    Browser::kSafari, Browser::kFirefox, Browser::kEdge,   Browser::kEdge};
constexpr std::array<Browser, 8> kMobileBrowsers = {
    Browser::kChrome, Browser::kChrome, Browser::kChrome,  Browser::kSafari,
    Browser::kSafari, Browser::kSafari, Browser::kFirefox, Browser::kSamsungInternet};
constexpr std::array<TrafficSource, 16> kSources = {
    TrafficSource::kDirect,  TrafficSource::kDirect,  TrafficSource::kDirect,
    TrafficSource::kDirect,  TrafficSource::kDirect,  TrafficSource::kOrganic,
    TrafficSource::kOrganic, TrafficSource::kOrganic, TrafficSource::kOrganic,
    TrafficSource::kPaid,    TrafficSource::kPaid,    TrafficSource::kEmail,
    TrafficSource::kEmail,   TrafficSource::kSocial,  TrafficSource::kSocial,
    TrafficSource::kReferral};

// Ids that must not be zero, which means none.
std::uint64_t DrawId(Random& random) { return random.Next() | 1U; }

}  // namespace

// Steps of a prime spread the frequent users over the numbers: no two ranks share one.
std::uint32_t DrawUser(Random& random) {
  return (PickSkewed(random, kUserCount) * 7919U + 4711U) % kUserCount;
}

Visit::Visit(Random& random)
    : session_(DrawId(random)),
      cart_(DrawId(random)),
      user_(DrawUser(random)),
      category_(static_cast<std::uint8_t>(PickSkewed(random, Catalogue::category_count()))) {
  ChooseClient(random);
  ChooseEntry(random);
}

// A user has a usual device and browser; one visit in eight comes from another one.
void Visit::ChooseClient(Random& random) {
  std::uint64_t dice = random.Next();
  const bool usual = (dice & 7U) != 0;
  dice >>= 3;
  const std::uint64_t habit = usual ? std::uint64_t{user_} * 0x9e3779b97f4a7c15U >> 32 : dice >> 8;
  device_ = kDevices[habit & 15U];
  browser_ = (device_ == Device::kDesktop ? kDesktopBrowsers : kMobileBrowsers)[(habit >> 4) & 7U];
  source_ = kSources[dice & 15U];
  // Phones wait for their network: up to 5 s, the rest up to 1.5 s, most far less.
  latency_us_ = PickSkewed(random, device_ == Device::kMobile ? 5'000'000U : 1'500'000U);
}

void Visit::ChooseEntry(Random& random) {
  if (source_ != TrafficSource::kDirect && source_ != TrafficSource::kEmail) {
    referrer_ = {Page::Kind::kOutside, static_cast<std::uint64_t>(source_)};
  }
  const std::uint32_t way = Pick(random, 16);
  if (way < 4) {
    next_ = EventType::kProductView;
  } else if (way < 5) {
    next_ = EventType::kSearch;
  }
}

bool Visit::Step(Random& random, const Catalogue& catalogue, ShopEvent& event) {
  event = ShopEvent{};
  event.id = {random.Next(), random.Next()};
  event.type = next_;
  event.device = device_;
  event.browser = browser_;
  event.source = source_;
  event.user = user_;
  event.session = session_;
  event.referrer = referrer_;
  switch (next_) {
    case EventType::kPageView:
      ViewPage(random, event);
      break;
    case EventType::kSearch:
      event.page = {Page::Kind::kSearch, PickSkewed(random, Catalogue::queries().size())};
      break;
    case EventType::kProductView:
      ViewProduct(random, catalogue, event);
      break;
    case EventType::kAddToCart:
      AddToCart(random, catalogue, event);
      break;
    case EventType::kRemoveFromCart:
      RemoveFromCart(random, catalogue, event);
      break;
    case EventType::kCheckoutStart:
      event.cart = cart_;
      event.page = {Page::Kind::kCheckout, cart_};
      break;
    case EventType::kPurchase:
      Purchase(random, catalogue, event);
      break;
  }
  referrer_ = event.page;
  first_ = false;
  return ChooseNext(random);
}

void Visit::ViewPage(Random& random, ShopEvent& event) {
  const std::uint32_t way = Pick(random, 16);
  if (first_ && (source_ == TrafficSource::kEmail || source_ == TrafficSource::kPaid)) {
    event.page = {Page::Kind::kCampaign, static_cast<std::uint64_t>(source_)};
  } else if (way < 5) {
    event.page = {Page::Kind::kHome, 0};
  } else if (way < 7 && item_count_ > 0) {
    event.page = {Page::Kind::kCart, 0};
  } else {
    if (way > 13) category_ = static_cast<std::uint8_t>(Pick(random, Catalogue::category_count()));
    event.page = {Page::Kind::kCollection, category_};
    event.category = Catalogue::CategoryName(category_);
  }
}

void Visit::ViewProduct(Random& random, const Catalogue& catalogue, ShopEvent& event) {
  const std::uint64_t in_category = catalogue.products_per_category();
  const bool related = Pick(random, 4) != 0;
  const std::uint64_t index = related
                                  ? category_ * in_category + PickSkewed(random, in_category)
                                  : std::uint64_t{PickSkewed(random, catalogue.products().size())};
  product_ = static_cast<std::uint16_t>(index);
  const Product& product = catalogue.products()[index];
  category_ = product.category;
  event.page = {Page::Kind::kProduct, index};
  event.product = &product;
  event.category = Catalogue::CategoryName(product.category);
  event.price_cents = product.price_cents;
}

void Visit::AddToCart(Random& random, const Catalogue& catalogue, ShopEvent& event) {
  const Product& product = catalogue.products()[product_];
  const std::uint32_t dice = Pick(random, 16);
  const int quantity = dice < 12 ? 1 : dice < 15 ? 2 : 3;
  WEIR_DCHECK(item_count_ < items_.size());
  items_[item_count_++] = {product_, static_cast<std::uint8_t>(quantity)};
  event.page = {Page::Kind::kProduct, product_};
  event.product = &product;
  event.category = Catalogue::CategoryName(product.category);
  event.price_cents = product.price_cents;
  event.quantity = quantity;
  event.cart = cart_;
}

void Visit::RemoveFromCart(Random& random, const Catalogue& catalogue, ShopEvent& event) {
  WEIR_DCHECK(item_count_ > 0);
  const std::uint32_t chosen = Pick(random, item_count_);
  const CartItem item = items_[chosen];
  items_[chosen] = items_[--item_count_];
  event.page = {Page::Kind::kCart, 0};
  event.product = &catalogue.products()[item.product];
  event.quantity = item.quantity;
  event.cart = cart_;
}

// One row an order: its price is the total, so it carries no quantity.
void Visit::Purchase(Random& random, const Catalogue& catalogue, ShopEvent& event) {
  event.price_cents = 0;
  for (std::size_t i = 0; i < item_count_; ++i) {
    event.price_cents += catalogue.products()[items_[i].product].price_cents * items_[i].quantity;
  }
  event.cart = cart_;
  event.order = DrawId(random);
  event.page = {Page::Kind::kOrder, event.order};
  item_count_ = 0;
  cart_ = DrawId(random);
}

bool Visit::ChooseNext(Random& random) {
  const auto& odds = kOdds[static_cast<std::size_t>(next_)];
  std::uint32_t dice = Pick(random, 256);
  std::size_t choice = 0;
  while (dice >= odds[choice]) dice -= odds[choice++];
  if (choice == kLeave) return false;
  next_ = static_cast<EventType>(choice);
  const bool needs_items =
      next_ == EventType::kRemoveFromCart || next_ == EventType::kCheckoutStart;
  if (needs_items && item_count_ == 0) next_ = EventType::kPageView;
  // A full cart goes to the checkout.
  if (next_ == EventType::kAddToCart && item_count_ == items_.size()) {
    next_ = EventType::kCheckoutStart;
  }
  return true;
}

}  // namespace weir::generate
