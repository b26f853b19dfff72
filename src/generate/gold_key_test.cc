#include "generate/gold_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::generate {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kTen = DayOf(2025, 6, 2) * kMicrosPerDay + 600 * kMinute;  // ten in the morning

class GoldKeyTest : public testing::Test {
 protected:
  void Add(std::string_view user, Micros minutes, EventType type = EventType::kPageView,
           std::int64_t cents = ShopEvent::kNoPrice, std::int32_t quantity = 0) {
    key_.Add(user, {.event_id = {},
                    .event_time = kTen + minutes * kMinute,
                    .event_type = type,
                    .quantity = quantity,
                    .price_cents = cents});
  }
  GoldTotals Of(const std::string& table, Micros watermark) {
    return key_.Build(kTen + watermark * kMinute).at(table);
  }
  static GoldTotals Sum(auto... rows) {
    GoldSum sum;
    (sum.Add(rows), ...);
    return sum.totals();
  }

  GoldKey key_;
};

TEST_F(GoldKeyTest, SessionsEndAfterMoreThanAGap) {
  Add("u", 30);
  Add("u", 0);
  Add("u", 61, EventType::kPurchase, 250, 2);
  Add("v", 5);
  EXPECT_EQ(Of("sessions", 90),
            Sum(SessionRow{.user = "u", .start = kTen, .end = kTen + 30 * kMinute, .events = 2},
                SessionRow{.user = "u",
                           .start = kTen + 61 * kMinute,
                           .end = kTen + 61 * kMinute,
                           .events = 1,
                           .order_cents = 500,
                           .is_bounce = true,
                           .is_open = true},
                SessionRow{.user = "v",
                           .start = kTen + 5 * kMinute,
                           .end = kTen + 5 * kMinute,
                           .events = 1,
                           .is_bounce = true}));
  EXPECT_THAT(Of("sessions", 60).sums, testing::Contains(Pair("open", 2))) << "equal is not closed";
}

TEST_F(GoldKeyTest, WindowsCloseAtTheirEnd) {
  Add("u", 0, EventType::kPageView);
  Add("u", 4, EventType::kPageView, 100);
  Add("v", 4, EventType::kPageView, 50);
  Add("v", 5, EventType::kPageView);
  EXPECT_EQ(Of("event_windows", 4).rows, 0);
  EXPECT_EQ(Of("event_windows", 5), Sum(EventWindowRow{.window_start = kTen,
                                                       .event_type = "page_view",
                                                       .count = 3,
                                                       .users = 2,
                                                       .revenue_cents = 150}));
}

TEST_F(GoldKeyTest, UsersAreActiveForFiveAndThirtyMinutes) {
  Add("u", 0);
  Add("u", 2);
  Add("v", 2);
  const GoldTotals totals = Of("active_users", 100);
  EXPECT_EQ(totals.rows, 32);
  EXPECT_THAT(totals.sums, ElementsAre(Pair("users_30m", 32 + 30), Pair("users_5m", 7 + 5)));
  EXPECT_EQ(Of("active_users", 1), Sum(ActiveUsersRow{kTen + kMinute, 1, 1}));
}

TEST_F(GoldKeyTest, FunnelsCountStepsInTheirOrder) {
  Add("u", 0, EventType::kAddToCart);
  Add("u", 1, EventType::kProductView);
  Add("u", 4, EventType::kAddToCart);
  Add("v", 1, EventType::kProductView);
  const Micros day = kTen - 600 * kMinute;
  const auto rows = [&](bool is_final) {
    return Sum(FunnelRow{day, 1, "product_view", 2, 0, is_final},
               FunnelRow{day, 2, "add_to_cart", 1, 3 * kMinute, is_final},
               FunnelRow{day, 3, "checkout_start", 0, std::nullopt, is_final},
               FunnelRow{day, 4, "purchase", 0, std::nullopt, is_final});
  };
  EXPECT_EQ(Of("funnel", 840), rows(false)) << "the watermark stands at the end of the day";
  EXPECT_EQ(Of("funnel", 841), rows(true));
}

TEST_F(GoldKeyTest, StatisticsAreOfTheDayInWhichASessionEnds) {
  for (int user = 0; user < 10; ++user) {
    Add("u" + std::to_string(user), 0);
    if (user > 0) Add("u" + std::to_string(user), user);
  }
  EXPECT_EQ(Of("session_stats", 869).rows, 0);
  EXPECT_EQ(Of("session_stats", 870), Sum(SessionStatsRow{.window_start = kTen - 600 * kMinute,
                                                          .sessions = 10,
                                                          .median = 4 * kMinute,
                                                          .p90 = 8 * kMinute,
                                                          .bounces = 1}));
}

TEST_F(GoldKeyTest, NothingIsClosedWithoutAWatermark) {
  Add("u", 0);
  const auto tables = key_.Build(std::nullopt);
  EXPECT_THAT(tables.at("sessions").sums, testing::Contains(Pair("open", 1)));
  EXPECT_EQ(tables.at("event_windows").rows + tables.at("active_users").rows, 0);
}

}  // namespace
}  // namespace weir::generate
