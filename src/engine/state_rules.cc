#include "engine/state_rules.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir::engine {
namespace {

using Rules = std::map<std::string, std::string>;

std::string AggregateText(const Aggregate& aggregate) {
  static constexpr const char* kNames[] = {"count", "count_distinct", "sum", "min", "max", "avg"};
  return fmt::format("{}: {}({})", aggregate.name, kNames[static_cast<std::size_t>(aggregate.kind)],
                     aggregate.column);
}

void AddDedupe(const std::string& table, const DedupeRules& rules, Rules& out) {
  out[table + ".dedupe.key"] = fmt::format("{}", fmt::join(rules.key, ", "));
  out[table + ".dedupe.horizon"] = std::to_string(rules.horizon);
  out[table + ".dedupe.mode"] = rules.compact ? "compact" : "exact";
}

void AddWindows(const std::string& table, const WindowRules& rules, Rules& out) {
  std::vector<std::string> aggregates;
  for (const Aggregate& aggregate : rules.aggregates)
    aggregates.push_back(AggregateText(aggregate));
  out[table + ".windows.size"] = std::to_string(rules.size);
  out[table + ".windows.offset"] = std::to_string(rules.offset);
  out[table + ".windows.by"] = fmt::format("{}", fmt::join(rules.by, ", "));
  out[table + ".windows.aggregates"] = fmt::format("{}", fmt::join(aggregates, ", "));
}

void AddSessions(const std::string& table, const SessionRules& rules, Rules& out) {
  out[table + ".sessions.by"] = rules.by;
  out[table + ".sessions.gap"] = std::to_string(rules.gap);
  out[table + ".sessions.split"] = std::to_string(static_cast<int>(rules.split));
  out[table + ".sessions.page"] = rules.page;
  out[table + ".sessions.first"] = fmt::format("{}", fmt::join(rules.first, ", "));
  out[table + ".sessions.last"] = fmt::format("{}", fmt::join(rules.last, ", "));
  out[table + ".sessions.value"] =
      fmt::format("{}: {} * {}", rules.value_event, rules.price, rules.quantity);
}

}  // namespace

Rules StateRulesOf(const config::PipelineSpec& spec) {
  Rules out;
  if (!spec.watermark) return out;
  out["watermark.delay"] = std::to_string(spec.watermark->delay);
  out["contract.event_time"] = spec.contract.event_time_field;
  for (const auto& table : spec.tables) {
    if (table.dedupe) AddDedupe(table.name, *table.dedupe, out);
    if (table.windows) AddWindows(table.name, *table.windows, out);
    if (table.sessions) AddSessions(table.name, *table.sessions, out);
    if (table.funnel) {
      out[table.name + ".funnel.steps"] = fmt::format("{}", fmt::join(table.funnel->steps, ", "));
      out[table.name + ".funnel.size"] = std::to_string(table.funnel->size);
    }
    if (table.active_users) out[table.name + ".active_users.user"] = table.active_users->user;
    if (table.session_stats)
      out[table.name + ".session_stats.size"] = std::to_string(table.session_stats->size);
  }
  return out;
}

Status CheckStateRules(const config::PipelineSpec& spec, const state::Claim& claim) {
  if (claim.shared.finished)
    return Refused("an earlier run closed all windows and sessions of this state for good",
                   ErrorCode::kStateFinished);
  const Rules now = StateRulesOf(spec);
  const Rules& then = claim.shared.rules;
  const bool untouched = std::ranges::all_of(
      claim.partitions, [](const auto& entry) { return entry.second.start.total.read == 0; });
  if (now == then || (then.empty() && untouched)) return Ok();
  std::string name;
  for (const auto* rules : {&then, &now})
    for (const auto& [key, value] : *rules) {
      const auto left = then.find(key);
      const auto right = now.find(key);
      const bool same = left != then.end() && right != now.end() && left->second == right->second;
      if (!same && name.empty()) name = key;
    }
  return WithRemedy(Refused("`" + name + "` is not what the existing state was made with",
                            ErrorCode::kSpecChanged),
                    "set it back, or rebuild the tables from the start under a new pipeline name "
                    "and state folder");
}

}  // namespace weir::engine
