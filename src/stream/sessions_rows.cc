#include "stream/sessions_rows.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "stream/sessions_value.h"

namespace weir::stream {
namespace {

constexpr int kOrderScale = 2;

// Rescaled to two digits, half away from zero; nullopt when it is no decimal(18,2).
std::optional<Int128> OrderValue(Int128 value, int scale) {
  constexpr Int128 kLimit = Int128{1'000'000'000} * 1'000'000'000;
  if (value == std::numeric_limits<Int128>::min()) return std::nullopt;
  for (; scale < kOrderScale; ++scale) {
    if (__builtin_mul_overflow(value, Int128{10}, &value)) return std::nullopt;
  }
  if (scale > kOrderScale) {
    Int128 divisor = 1;
    for (; scale > kOrderScale; --scale) divisor *= 10;
    const Int128 rest = value % divisor;
    const Int128 distance = rest < 0 ? -rest : rest;
    value /= divisor;
    if (distance >= divisor - distance) value += rest < 0 ? -1 : 1;
  }
  if (value >= kLimit || value <= -kLimit) return std::nullopt;
  return value;
}

// Unsigned, since a span of far apart times is no Micros.
double SecondsBetween(Micros start, Micros end) {
  const auto span = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start);
  return static_cast<double>(span) / static_cast<double>(kMicrosPerSecond);
}

}  // namespace

SessionRows::SessionRows(const Schema& columns, const SessionRules& rules, bool has_event_types,
                         int price_scale)
    : key_type_(columns.fields.at(0).type),
      has_event_types_(has_event_types),
      has_order_value_(!rules.value_event.empty()),
      price_scale_(price_scale) {
  // The order of SessionColumns; each column is checked to have the name that it must have.
  const auto place = [&](std::string_view name, Noun noun, std::size_t value = 0) {
    WEIR_CHECK(places_.size() < columns.fields.size() &&
               columns.fields[places_.size()].name == name);
    places_.push_back({noun, value});
  };
  place(rules.by, Noun::kKey);
  place("session_id", Noun::kId);
  place("session_start", Noun::kStart);
  place("session_end", Noun::kEnd);
  place("duration_s", Noun::kDuration);
  place("events", Noun::kEvents);
  place("event_counts", Noun::kCounts);
  const std::size_t pages = rules.page.empty() ? 0 : 1;
  const std::size_t firsts = pages + rules.first.size();
  if (pages != 0) {
    place("entry_page", Noun::kValue, 0);
    place("exit_page", Noun::kValue, firsts);
  }
  for (std::size_t i = 0; i < rules.first.size(); ++i) {
    place("first_" + rules.first[i], Noun::kValue, pages + i);
  }
  for (std::size_t i = 0; i < rules.last.size(); ++i) {
    place("last_" + rules.last[i], Noun::kValue, firsts + pages + i);
  }
  place("is_bounce", Noun::kBounce);
  place("order_value", Noun::kOrderValue);
  place("is_open", Noun::kOpen);
  place("source_partition", Noun::kPartition);
  WEIR_CHECK(places_.size() == columns.fields.size());
}

void SessionRows::Begin(Batch* out) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].noun != Noun::kCounts) continue;
    out->columns[i].children()[0].UseDictionary(std::make_shared<Dictionary>());
  }
}

void SessionRows::Append(std::string_view key, const Session& session, const SharedTexts& texts,
                         bool open, Batch* out) {
  WEIR_DCHECK(out->columns.size() == places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    AppendField(places_[i], key, session, texts, open, &out->columns[i]);
  }
  out->records.push_back(static_cast<std::uint32_t>(out->records.size()));
}

void SessionRows::AppendField(Place place, std::string_view key, const Session& session,
                              const SharedTexts& texts, bool open, Column* column) {
  switch (place.noun) {
    case Noun::kKey:
      WEIR_CHECK(AppendValue(key, column));
      return;
    case Noun::kId:
      return AppendId(key, session, column);
    case Noun::kStart:
      return column->AppendLong(session.start());
    case Noun::kEnd:
      return column->AppendLong(session.end());
    case Noun::kDuration:
      return column->AppendDouble(SecondsBetween(session.start(), session.end()));
    case Noun::kEvents:
      return column->AppendLong(session.events);
    case Noun::kCounts:
      return AppendCounts(session, texts, column);
    case Noun::kValue: {
      const auto value = session.values.At(place.value);
      if (!value) return column->AppendNull();
      WEIR_CHECK(AppendValue(*value, column));
      return;
    }
    case Noun::kBounce:
      return column->AppendBoolean(session.events == 1);
    case Noun::kOrderValue:
      return AppendOrderValue(session, column);
    case Noun::kOpen:
      return column->AppendBoolean(open);
    case Noun::kPartition:
      return column->AppendInt(session.home);
  }
}

void SessionRows::AppendId(std::string_view key, const Session& session, Column* column) {
  if (key_type_.kind == TypeKind::kString) {
    id_.assign(key);
  } else {
    id_ = ValueText(key_type_, key);
  }
  for (const std::int64_t number : {std::int64_t{session.home}, session.lowest_offset}) {
    const fmt::format_int digits(number);
    id_ += '/';
    id_.append(digits.data(), digits.size());
  }
  column->AppendString(id_);
}

void SessionRows::AppendCounts(const Session& session, const SharedTexts& texts, Column* column) {
  if (!has_event_types_) return column->AppendNull();
  counts_.clear();
  for (const TypeCount& count : session.counts) {
    counts_.emplace_back(texts.At(count.type()), count.count());
  }
  std::sort(counts_.begin(), counts_.end());
  for (const auto& [type, count] : counts_) {
    column->children()[0].AppendString(type);
    column->children()[1].AppendLong(static_cast<std::int64_t>(count));
  }
  column->AppendList(counts_.size());
}

void SessionRows::AppendOrderValue(const Session& session, Column* column) const {
  if (!has_order_value_ || session.value_lost) return column->AppendNull();
  const auto value = OrderValue(session.value, price_scale_);
  if (!value) return column->AppendNull();
  column->AppendDecimal(*value);
}

SessionFacts FactsOf(const Session& session) {
  SessionFacts facts{session.start(), session.end(), session.events, {}};
  for (const StepRow& row : session.steps.reached()) facts.step_times.push_back(row.time);
  return facts;
}

}  // namespace weir::stream
