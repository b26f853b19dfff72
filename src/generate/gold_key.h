#pragma once
// GoldKey: the gold tables that must follow from the rows of silver, by the rules of
// examples/medallion: sort, walk, count. Keeps every row (40 bytes) until it is asked. Shares
// nothing with the code that makes those tables. Not thread safe.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "generate/generator.h"
#include "generate/gold_totals.h"

namespace weir::generate {

class GoldKey {
 public:
  /// A row of silver, in the order of its log.
  void Add(std::string_view user, const Planted& planted);

  /// By table: sessions, session_stats, funnel, active_users, event_windows. watermark: of the
  /// pipeline at the end; nullopt: none, so nothing is closed.
  std::map<std::string, GoldTotals> Build(std::optional<Micros> watermark) const;

 private:
  struct Row {
    std::uint32_t user = 0;
    EventType type = EventType::kPageView;
    std::int32_t quantity = 0;
    Micros time = 0;
    std::int64_t price_cents = 0;
  };
  struct Session {
    std::uint32_t user = 0;
    Micros start = 0;
    Micros end = 0;
    std::int64_t events = 0;
    std::int64_t order_cents = 0;
    std::vector<Micros> steps;  // when each was reached
    bool is_open = false;
  };

  std::vector<Session> Sessions(std::optional<Micros> watermark) const;
  static void Extend(Session& session, const Row& row);
  GoldTotals SumSessions(const std::vector<Session>& sessions) const;
  GoldTotals SumWindows(Micros watermark) const;
  GoldTotals SumActiveUsers(Micros watermark) const;

  std::vector<Row> rows_;
  std::vector<std::string> users_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of users
};

}  // namespace weir::generate
