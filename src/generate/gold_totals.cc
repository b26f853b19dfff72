#include "generate/gold_totals.h"

#include <fmt/format.h>

#include "generate/id_checksum.h"

namespace weir::generate {
namespace {

std::string OrDash(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "-";
}

}  // namespace

const std::vector<std::string>& GoldSteps() {
  static const std::vector<std::string> kSteps{"product_view", "add_to_cart", "checkout_start",
                                               "purchase"};
  return kSteps;
}

void GoldSum::AddLine(std::string_view line) {
  IdChecksum one;
  one.Add(line);
  totals_.checksum += one.value();
  ++totals_.rows;
}

void GoldSum::Add(const SessionRow& row) {
  AddLine(fmt::format("{},{},{},{},{},{:d},{:d}", row.user, row.start, row.end, row.events,
                      row.order_cents, row.is_bounce, row.is_open));
  totals_.sums["events"] += row.events;
  totals_.sums["order_cents"] += row.order_cents;
  totals_.sums["bounces"] += row.is_bounce ? 1 : 0;
  totals_.sums["open"] += row.is_open ? 1 : 0;
}

void GoldSum::Add(const SessionStatsRow& row) {
  AddLine(fmt::format("{},{},{},{},{}", row.window_start, row.sessions, row.median, row.p90,
                      row.bounces));
  totals_.sums["sessions"] += row.sessions;
  totals_.sums["bounces"] += row.bounces;
}

void GoldSum::Add(const FunnelRow& row) {
  AddLine(fmt::format("{},{},{},{},{},{:d}", row.window_start, row.step, row.event_type,
                      row.sessions, OrDash(row.median), row.is_final));
  totals_.sums["sessions"] += row.sessions;
}

void GoldSum::Add(const ActiveUsersRow& row) {
  AddLine(fmt::format("{},{},{}", row.minute, row.users_5m, row.users_30m));
  totals_.sums["users_5m"] += row.users_5m;
  totals_.sums["users_30m"] += row.users_30m;
}

void GoldSum::Add(const EventWindowRow& row) {
  AddLine(fmt::format("{},{},{},{},{}", row.window_start, row.event_type, row.count, row.users,
                      OrDash(row.revenue_cents)));
  totals_.sums["count"] += row.count;
  totals_.sums["revenue_cents"] += row.revenue_cents.value_or(0);
}

}  // namespace weir::generate
