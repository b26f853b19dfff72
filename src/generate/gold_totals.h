#pragma once
// GoldTotals: rows, sums and a checksum of one gold table, as the answer key has them, and what
// adds them up: for the key from what was planted, for `weir verify` from the rows of a table. What
// a row contributes is a line of text (docs/GENERATOR.md), so that anyone can count it anew. Not
// thread safe.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace weir::generate {

/// The rules that the key counts by: those of examples/medallion.
inline constexpr Micros kGoldGap = 1'800 * kMicrosPerSecond;
inline constexpr Micros kGoldWindow = 300 * kMicrosPerSecond;
inline constexpr Micros kGoldDay = kMicrosPerDay;  // of session statistics and funnel
/// product_view, add_to_cart, checkout_start, purchase.
const std::vector<std::string>& GoldSteps();

struct GoldTotals {
  std::int64_t rows = 0;
  std::map<std::string, std::int64_t> sums;
  std::uint64_t checksum = 0;  // as of event ids, of the rows' lines
  bool operator==(const GoldTotals&) const = default;
};

struct SessionRow {
  std::string_view user;
  Micros start = 0;
  Micros end = 0;
  std::int64_t events = 0;
  std::int64_t order_cents = 0;
  bool is_bounce = false;
  bool is_open = false;
};

struct SessionStatsRow {
  Micros window_start = 0;
  std::int64_t sessions = 0;
  Micros median = 0;
  Micros p90 = 0;
  std::int64_t bounces = 0;
};

struct FunnelRow {
  Micros window_start = 0;
  std::int64_t step = 0;
  std::string_view event_type;
  std::int64_t sessions = 0;
  std::optional<Micros> median;
  bool is_final = false;
};

struct ActiveUsersRow {
  Micros minute = 0;
  std::int64_t users_5m = 0;
  std::int64_t users_30m = 0;
};

struct EventWindowRow {
  Micros window_start = 0;
  std::string_view event_type;
  std::int64_t count = 0;
  std::int64_t users = 0;
  std::optional<std::int64_t> revenue_cents;
};

/// Adds up the rows of one table.
class GoldSum {
 public:
  void Add(const SessionRow& row);
  void Add(const SessionStatsRow& row);
  void Add(const FunnelRow& row);
  void Add(const ActiveUsersRow& row);
  void Add(const EventWindowRow& row);
  const GoldTotals& totals() const { return totals_; }

 private:
  void AddLine(std::string_view line);

  GoldTotals totals_;
};

}  // namespace weir::generate
