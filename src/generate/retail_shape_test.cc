#include "generate/retail_shape.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "generate/generator.h"

namespace weir::generate {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> kFields = {
    "event_id",     "event_time",   "user_id",    "session_id",   "event_type", "page_url",
    "referrer_url", "search_query", "product_id", "product_name", "category",   "cart_id",
    "order_id",     "quantity",     "price",      "device_type",  "browser",    "traffic_source"};
const std::vector<std::string> kAlways = {"event_id",    "event_time", "user_id",
                                          "session_id",  "event_type", "page_url",
                                          "device_type", "browser",    "traffic_source"};
const std::map<std::string, std::vector<std::string>> kNeeds = {
    {"page_view", {}},
    {"search", {"search_query"}},
    {"product_view", {"product_id", "product_name", "category", "price"}},
    {"add_to_cart", {"product_id", "product_name", "category", "price", "cart_id", "quantity"}},
    {"remove_from_cart", {"product_id", "cart_id", "quantity"}},
    {"checkout_start", {"cart_id"}},
    {"purchase", {"order_id", "cart_id"}}};

std::vector<Json> Draw(std::uint64_t count) {
  GeneratorOptions options;
  options.seed = 11;
  options.count = count;
  auto generator = std::move(Generator::Make(options, 0)).value();
  std::vector<Json> events;
  GeneratedEvent event;
  while (generator->Next(&event)) events.push_back(Json::parse(*event.value));
  return events;
}

TEST(RetailShape, EveryEventHasWhatItsTypeNeedsAndNothingUnknown) {
  std::set<std::string> types;
  for (const Json& event : Draw(5'000)) {
    const auto type = event.at("event_type").get<std::string>();
    types.insert(type);
    for (const std::string& name : kAlways) {
      ASSERT_TRUE(event.at(name).is_string()) << event;
      EXPECT_FALSE(event.at(name).get<std::string>().empty()) << event;
    }
    for (const std::string& name : kNeeds.at(type)) {
      ASSERT_TRUE(event.contains(name) && !event.at(name).is_null()) << name << " " << event;
    }
    for (const auto& [name, value] : event.items()) {
      EXPECT_TRUE(std::find(kFields.begin(), kFields.end(), name) != kFields.end()) << name;
    }
  }
  EXPECT_EQ(types.size(), kNeeds.size());
}

TEST(RetailShape, SiteWritesNullsAndTheAppLeavesThemOut) {
  std::set<std::size_t> site_sizes;
  bool site_has_null = false;
  bool app_was_shorter = false;
  for (const Json& event : Draw(2'000)) {
    bool has_null = false;
    for (const auto& [name, value] : event.items()) has_null = has_null || value.is_null();
    if (event.at("device_type") == "mobile") {
      EXPECT_FALSE(has_null) << event;
      app_was_shorter = app_was_shorter || event.size() < kFields.size();
    } else {
      site_sizes.insert(event.size());
      site_has_null = site_has_null || has_null;
    }
  }
  EXPECT_EQ(site_sizes, std::set<std::size_t>{kFields.size()});
  EXPECT_TRUE(site_has_null);
  EXPECT_TRUE(app_was_shorter);
}

TEST(RetailShape, EventsAreAboutHalfAKilobyte) {
  std::size_t bytes = 0;
  for (const Json& event : Draw(5'000)) bytes += event.dump().size();
  EXPECT_GT(bytes / 5'000, 430U);
  EXPECT_LT(bytes / 5'000, 520U);
}

ShopEvent OnSite(std::int64_t cents) {
  ShopEvent event;
  event.type = EventType::kPurchase;
  event.time = 1'748'851'200'123'000;
  event.cart = 1;
  event.order = 2;
  event.price_cents = cents;
  return event;
}

std::string TextOf(const ShopEvent& event) {
  const Catalogue catalogue;
  RetailShape shape(catalogue);
  JsonText text;
  shape.Write(event, text);
  return std::string(text.view());
}

// JSON.stringify drops zeros; the app's formatter keeps them. Both are the same decimal.
TEST(RetailShape, PricesAreSpeltAsTheirClientSpellsThem) {
  EXPECT_NE(TextOf(OnSite(1800)).find(R"("price":18,)"), std::string::npos);
  EXPECT_NE(TextOf(OnSite(1850)).find(R"("price":18.5,)"), std::string::npos);
  EXPECT_NE(TextOf(OnSite(1805)).find(R"("price":18.05,)"), std::string::npos);
  EXPECT_NE(TextOf(OnSite(0)).find(R"("price":0,)"), std::string::npos);
  ShopEvent app = OnSite(1800);
  app.device = Device::kMobile;
  EXPECT_NE(TextOf(app).find(R"("price":18.00,)"), std::string::npos);
}

TEST(RetailShape, TimesAreSpeltAsTheirClientSpellsThem) {
  EXPECT_NE(TextOf(OnSite(1)).find(R"("event_time":"2025-06-02T08:00:00.123Z")"),
            std::string::npos);
  ShopEvent app = OnSite(1);
  app.device = Device::kMobile;
  app.time = -1;
  EXPECT_NE(TextOf(app).find(R"("event_time":"1969-12-31T23:59:59.999999Z")"), std::string::npos);
}

// The texts of bad events are checked against their reasons by the independent checker; here: that
// a flaw always leaves its mark, whatever the event was.
TEST(RetailShape, EveryFlawChangesEveryEvent) {
  const Catalogue catalogue;
  const RetailShape shape(catalogue);
  std::set<std::string_view> names;
  for (const Json& event : Draw(200)) {
    const std::string text = event.dump();
    for (std::size_t flaw = 0; flaw < shape.flaws().size(); ++flaw) {
      EXPECT_NE(shape.Spoil(text, flaw), text) << shape.flaws()[flaw].name;
      names.insert(shape.flaws()[flaw].name);
    }
  }
  EXPECT_EQ(names.size(), shape.flaws().size());
}

}  // namespace
}  // namespace weir::generate
