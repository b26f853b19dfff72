#include "config/aggregate_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/descriptor.h"

namespace weir::config {
namespace {

constexpr std::array<std::pair<std::string_view, AggregateKind>, 6> kFunctions = {{
    {"count", AggregateKind::kCount},
    {"count_distinct", AggregateKind::kCountDistinct},
    {"sum", AggregateKind::kSum},
    {"min", AggregateKind::kMin},
    {"max", AggregateKind::kMax},
    {"avg", AggregateKind::kAvg},
}};

Error Bad(std::string message) { return InvalidInput(std::move(message), ErrorCode::kBadValue); }

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Result<AggregateKind> KindOf(std::string_view name) {
  std::array<std::string_view, kFunctions.size()> names;
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    if (kFunctions[i].first == name) return kFunctions[i].second;
    names[i] = kFunctions[i].first;
  }
  const std::string_view meant = ClosestTo(name, names);
  return Bad(fmt::format("`{}` is no aggregate{}; there are {}", Printable(name, 60),
                         meant.empty() ? "" : fmt::format(" (did you mean `{}`?)", meant),
                         fmt::join(names, ", ")));
}

}  // namespace

Result<Aggregate> ParseAggregate(std::string_view text) {
  const std::string_view whole = Trim(text);
  const std::size_t open = std::min(whole.find('('), whole.size());
  const std::string_view name = Trim(whole.substr(0, open));
  WEIR_ASSIGN_OR_RETURN(const AggregateKind kind, KindOf(name));
  Aggregate aggregate{.kind = kind, .column = {}, .name = {}};
  if (open < whole.size()) {
    if (!whole.ends_with(')')) {
      return Bad(fmt::format("`{}` lacks the closing `)`", Printable(text, 60)));
    }
    aggregate.column = std::string(Trim(whole.substr(open + 1, whole.size() - open - 2)));
  }
  const bool counts_rows = kind == AggregateKind::kCount;
  if (counts_rows && (aggregate.column == "*" || open == whole.size())) {
    aggregate.column.clear();
  } else if (counts_rows) {
    return Bad(fmt::format("`{}`: count counts rows; write count, or count_distinct(column)",
                           Printable(text, 60)));
  } else if (aggregate.column.empty()) {
    return Bad(fmt::format("`{}` names no column; write {}(column)", Printable(text, 60), name));
  }
  return aggregate;
}

std::string ToString(const Aggregate& aggregate) {
  for (const auto& [name, kind] : kFunctions) {
    if (kind != aggregate.kind) continue;
    if (kind == AggregateKind::kCount) return std::string(name);
    return fmt::format("{}({})", name, aggregate.column);
  }
  return {};
}

}  // namespace weir::config
