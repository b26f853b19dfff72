#include "generate/gold_key.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace weir::generate {
namespace {

constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kNever = std::numeric_limits<Micros>::min();

Micros FloorTo(Micros time, Micros size) {
  const Micros rest = time % size;
  return time - rest - (rest < 0 ? size : 0);
}

// The smallest value of rank >= tenths/10 of all.
Micros Ranked(const std::vector<Micros>& sorted, std::size_t tenths) {
  return sorted[(tenths * sorted.size() + 9) / 10 - 1];
}

struct Day {
  std::vector<Micros> spans;  // of closed sessions
  std::int64_t bounces = 0;
};

struct FunnelDay {
  std::vector<std::vector<Micros>> spans = std::vector<std::vector<Micros>>(GoldSteps().size());
  bool has_open = false;
};

}  // namespace

void GoldKey::Add(std::string_view user, const Planted& planted) {
  const auto number = static_cast<std::uint32_t>(users_.size());
  const auto [found, is_new] = numbers_.try_emplace(std::string(user), number);
  if (is_new) users_.emplace_back(user);
  rows_.push_back({.user = found->second,
                   .type = planted.event_type,
                   .quantity = planted.quantity,
                   .time = planted.event_time,
                   .price_cents = planted.price_cents});
}

void GoldKey::Extend(Session& session, const Row& row) {
  session.end = row.time;
  ++session.events;
  if (row.type == EventType::kPurchase && row.price_cents != ShopEvent::kNoPrice)
    session.order_cents += row.price_cents * (row.quantity == 0 ? 1 : row.quantity);
  const std::size_t reached = session.steps.size();
  if (reached < GoldSteps().size() && GoldSteps()[reached] == ToString(row.type))
    session.steps.push_back(row.time);
}

// A user's events are in one partition, so that rows of one time are in their order already.
std::vector<GoldKey::Session> GoldKey::Sessions(std::optional<Micros> watermark) const {
  std::vector<Row> sorted = rows_;
  std::ranges::stable_sort(sorted, {},
                           [](const Row& row) { return std::pair(row.user, row.time); });
  std::vector<Session> sessions;
  for (const Row& row : sorted) {
    const bool joins = !sessions.empty() && sessions.back().user == row.user &&
                       row.time - sessions.back().end <= kGoldGap;
    if (!joins) sessions.push_back({.user = row.user, .start = row.time, .steps = {}});
    Extend(sessions.back(), row);
  }
  for (Session& session : sessions)
    session.is_open = !watermark || *watermark <= session.end + kGoldGap;
  return sessions;
}

GoldTotals GoldKey::SumSessions(const std::vector<Session>& sessions) const {
  GoldSum sum;
  for (const Session& session : sessions) {
    sum.Add(SessionRow{.user = users_[session.user],
                       .start = session.start,
                       .end = session.end,
                       .events = session.events,
                       .order_cents = session.order_cents,
                       .is_bounce = session.events == 1,
                       .is_open = session.is_open});
  }
  return sum.totals();
}

GoldTotals GoldKey::SumWindows(Micros watermark) const {
  struct Group {
    std::int64_t count = 0;
    std::set<std::uint32_t> users;
    std::optional<std::int64_t> revenue;
  };
  std::map<std::pair<Micros, EventType>, Group> groups;
  for (const Row& row : rows_) {
    const Micros start = FloorTo(row.time, kGoldWindow);
    if (start + kGoldWindow > watermark) continue;
    Group& group = groups[{start, row.type}];
    ++group.count;
    group.users.insert(row.user);
    if (row.price_cents != ShopEvent::kNoPrice)
      group.revenue = group.revenue.value_or(0) + row.price_cents;
  }
  GoldSum sum;
  for (const auto& [key, group] : groups) {
    sum.Add(EventWindowRow{.window_start = key.first,
                           .event_type = ToString(key.second),
                           .count = group.count,
                           .users = static_cast<std::int64_t>(group.users.size()),
                           .revenue_cents = group.revenue});
  }
  return sum.totals();
}

GoldTotals GoldKey::SumActiveUsers(Micros watermark) const {
  std::vector<std::pair<std::uint32_t, Micros>> seen;
  for (const Row& row : rows_) seen.emplace_back(row.user, FloorTo(row.time, kMinute));
  std::ranges::sort(seen);
  std::map<Micros, ActiveUsersRow> minutes;
  std::uint32_t user = 0;
  Micros counted = kNever;  // minutes up to here have the user among the last 30
  Micros counted_short = kNever;
  for (const auto& [who, minute] : seen) {
    if (who != user) counted = counted_short = kNever;
    user = who;
    for (Micros at = std::max(counted, minute) + kMinute; at <= minute + 30 * kMinute;
         at += kMinute)
      ++minutes[at].users_30m;
    for (Micros at = std::max(counted_short, minute) + kMinute; at <= minute + 5 * kMinute;
         at += kMinute)
      ++minutes[at].users_5m;
    counted = minute + 30 * kMinute;
    counted_short = minute + 5 * kMinute;
  }
  GoldSum sum;
  for (auto& [minute, row] : minutes) {
    row.minute = minute;
    if (minute <= watermark) sum.Add(row);
  }
  return sum.totals();
}

namespace {

GoldTotals SumDays(const std::map<Micros, Day>& days, Micros watermark) {
  GoldSum sum;
  for (const auto& [start, day] : days) {
    if (watermark < start + kGoldDay + kGoldGap) continue;
    std::vector<Micros> spans = day.spans;
    std::ranges::sort(spans);
    sum.Add(SessionStatsRow{.window_start = start,
                            .sessions = static_cast<std::int64_t>(spans.size()),
                            .median = Ranked(spans, 5),
                            .p90 = Ranked(spans, 9),
                            .bounces = day.bounces});
  }
  return sum.totals();
}

GoldTotals SumFunnel(const std::map<Micros, FunnelDay>& days, std::optional<Micros> watermark) {
  GoldSum sum;
  for (const auto& [start, day] : days) {
    for (std::size_t step = 0; step < day.spans.size(); ++step) {
      std::vector<Micros> spans = day.spans[step];
      std::ranges::sort(spans);
      sum.Add(FunnelRow{.window_start = start,
                        .step = static_cast<std::int64_t>(step + 1),
                        .event_type = GoldSteps()[step],
                        .sessions = static_cast<std::int64_t>(spans.size()),
                        .median = spans.empty() ? std::nullopt : std::optional(Ranked(spans, 5)),
                        .is_final = watermark && *watermark > start + kGoldDay && !day.has_open});
    }
  }
  return sum.totals();
}

}  // namespace

std::map<std::string, GoldTotals> GoldKey::Build(std::optional<Micros> watermark) const {
  const Micros closed_by = watermark.value_or(kNever);
  const std::vector<Session> sessions = Sessions(watermark);
  std::map<Micros, Day> days;
  std::map<Micros, FunnelDay> funnel;
  for (const Session& session : sessions) {
    FunnelDay& starts = funnel[FloorTo(session.start, kGoldDay)];
    starts.has_open |= session.is_open;
    for (std::size_t step = 0; step < session.steps.size(); ++step)
      starts.spans[step].push_back(session.steps[step] - session.steps[0]);
    if (session.is_open) continue;
    Day& ends = days[FloorTo(session.end, kGoldDay)];
    ends.spans.push_back(session.end - session.start);
    ends.bounces += session.events == 1 ? 1 : 0;
  }
  return {{"sessions", SumSessions(sessions)},
          {"session_stats", SumDays(days, closed_by)},
          {"funnel", SumFunnel(funnel, watermark)},
          {"active_users", SumActiveUsers(closed_by)},
          {"event_windows", SumWindows(closed_by)}};
}

}  // namespace weir::generate
