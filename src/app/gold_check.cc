#include "app/gold_check.h"

#include <algorithm>
#include <cmath>

namespace weir::app {
namespace {

using config::TableFrom;
using generate::GoldSum;

const std::string kType = "event_type";
const std::string kUser = "user_id";

bool HasKeyRules(const WindowRules& rules) {
  const auto aggregate = [&](std::string_view name, AggregateKind kind, std::string_view column) {
    return std::ranges::any_of(rules.aggregates, [&](const Aggregate& given) {
      return given.name == name && given.kind == kind && given.column == column;
    });
  };
  return rules.size == generate::kGoldWindow && rules.offset == 0 &&
         rules.by == std::vector<std::string>{kType} &&
         aggregate("count", AggregateKind::kCount, "") &&
         aggregate("users", AggregateKind::kCountDistinct, kUser) &&
         aggregate("revenue", AggregateKind::kSum, "price");
}

bool HasKeyRules(const SessionRules& rules) {
  return rules.by == kUser && rules.gap == generate::kGoldGap &&
         rules.split == SessionSplit::kNone && rules.value_event == "purchase" &&
         rules.price == "price" && rules.quantity == "quantity";
}

// Statistics and funnels count the sessions of the pipeline's only such table.
bool HasKeySessions(const config::PipelineSpec& spec) {
  return std::ranges::any_of(spec.tables, [](const config::TableSpec& table) {
    return table.sessions && HasKeyRules(*table.sessions);
  });
}

bool HasDedupe(const config::PipelineSpec& spec) {
  return std::ranges::any_of(
      spec.tables, [](const config::TableSpec& table) { return table.dedupe.has_value(); });
}

Micros MicrosOf(const Column& seconds, std::size_t row) {
  return std::llround(seconds.Double(row) * kMicrosPerSecond);
}

void AddSessions(const Batch& batch, GoldSum& sum) {
  const Column& order = ColumnOf(batch, "order_value");
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    const Int128 cents = order.IsNull(row) ? Int128{-1} : order.Decimal(row);
    sum.Add(generate::SessionRow{.user = ColumnOf(batch, kUser).String(row),
                                 .start = ColumnOf(batch, "session_start").Long(row),
                                 .end = ColumnOf(batch, "session_end").Long(row),
                                 .events = ColumnOf(batch, "events").Long(row),
                                 .order_cents = static_cast<std::int64_t>(cents),
                                 .is_bounce = ColumnOf(batch, "is_bounce").Boolean(row),
                                 .is_open = ColumnOf(batch, "is_open").Boolean(row)});
  }
}

void AddSessionStats(const Batch& batch, GoldSum& sum) {
  for (std::size_t row = 0; row < batch.rows(); ++row)
    sum.Add(generate::SessionStatsRow{.window_start = ColumnOf(batch, "window_start").Long(row),
                                      .sessions = ColumnOf(batch, "sessions").Long(row),
                                      .median = MicrosOf(ColumnOf(batch, "median_s"), row),
                                      .p90 = MicrosOf(ColumnOf(batch, "p90_s"), row),
                                      .bounces = ColumnOf(batch, "bounces").Long(row)});
}

void AddFunnel(const Batch& batch, GoldSum& sum) {
  const Column& median = ColumnOf(batch, "median_s");
  for (std::size_t row = 0; row < batch.rows(); ++row)
    sum.Add(generate::FunnelRow{
        .window_start = ColumnOf(batch, "window_start").Long(row),
        .step = ColumnOf(batch, "step").Int(row),
        .event_type = ColumnOf(batch, kType).String(row),
        .sessions = ColumnOf(batch, "sessions").Long(row),
        .median = median.IsNull(row) ? std::nullopt : std::optional(MicrosOf(median, row)),
        .is_final = ColumnOf(batch, "is_final").Boolean(row)});
}

void AddActiveUsers(const Batch& batch, GoldSum& sum) {
  for (std::size_t row = 0; row < batch.rows(); ++row)
    sum.Add(generate::ActiveUsersRow{.minute = ColumnOf(batch, "minute").Long(row),
                                     .users_5m = ColumnOf(batch, "users_5m").Long(row),
                                     .users_30m = ColumnOf(batch, "users_30m").Long(row)});
}

void AddWindows(const Batch& batch, GoldSum& sum) {
  const Column& revenue = ColumnOf(batch, "revenue");
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    std::optional<std::int64_t> cents;
    if (!revenue.IsNull(row)) cents = static_cast<std::int64_t>(revenue.Decimal(row));
    sum.Add(generate::EventWindowRow{.window_start = ColumnOf(batch, "window_start").Long(row),
                                     .event_type = ColumnOf(batch, kType).String(row),
                                     .count = ColumnOf(batch, "count").Long(row),
                                     .users = ColumnOf(batch, "users").Long(row),
                                     .revenue_cents = cents});
  }
}

}  // namespace

std::optional<std::string> GoldKindOf(const config::PipelineSpec& spec,
                                      const config::TableSpec& table) {
  if (!HasDedupe(spec)) return std::nullopt;
  if (table.sessions && HasKeyRules(*table.sessions)) return "sessions";
  if (table.windows && HasKeyRules(*table.windows)) return "event_windows";
  if (table.active_users && table.active_users->user == kUser) return "active_users";
  if (!HasKeySessions(spec)) return std::nullopt;
  if (table.session_stats && table.session_stats->size == generate::kGoldDay)
    return "session_stats";
  if (table.funnel && table.funnel->size == generate::kGoldDay &&
      table.funnel->steps == generate::GoldSteps())
    return "funnel";
  return std::nullopt;
}

Result<generate::GoldTotals> CountGold(const config::TableSpec& table, OpenedTable& opened) {
  GoldSum sum;
  std::vector<std::string> columns;
  for (const Field& field : opened.version->schema.fields)
    if (field.type.kind != TypeKind::kMap) columns.push_back(field.name);
  WEIR_TRY(ScanTable(opened, columns, [&](const Batch& batch) -> Status {
    if (table.from == TableFrom::kSessions) AddSessions(batch, sum);
    if (table.from == TableFrom::kSessionStats) AddSessionStats(batch, sum);
    if (table.from == TableFrom::kFunnel) AddFunnel(batch, sum);
    if (table.from == TableFrom::kActiveUsers) AddActiveUsers(batch, sum);
    if (table.from == TableFrom::kWindows) AddWindows(batch, sum);
    return Ok();
  }));
  return sum.totals();
}

}  // namespace weir::app
