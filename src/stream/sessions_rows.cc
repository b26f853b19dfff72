#include "stream/sessions_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "stream/sessions_value.h"

namespace weir::stream {
namespace {

constexpr int kOrderScale = 2;
constexpr std::size_t kRowsOfLook = 4096;  // between two looks at the dictionaries
constexpr std::size_t kBlock = 64;         // rows that are appended column by column

std::uint64_t FirstBits(std::size_t n) { return ~std::uint64_t{0} >> (64 - n); }

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

template <typename T, typename Get>
void AppendFixed(std::span<const SessionRows::Row> block, const Get& get, Column* column) {
  std::array<T, kBlock> values;
  for (std::size_t i = 0; i < block.size(); ++i) values[i] = static_cast<T>(get(*block[i].session));
  column->AppendBlock(values.data(), FirstBits(block.size()), block.size());
}

// `get` gives the bytes of a value, or nullopt.
template <typename Get>
void AppendValues(std::span<const SessionRows::Row> block, const Get& get, Column* column) {
  if (column->type().kind == TypeKind::kString) {
    std::array<std::string_view, kBlock> texts;
    std::uint64_t valid = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::optional<std::string_view> text = get(block[i]);
      if (!text) continue;
      texts[i] = *text;
      valid |= std::uint64_t{1} << i;
    }
    return column->AppendTextBlock(texts.data(), valid, block.size());
  }
  for (const SessionRows::Row& row : block) {
    const std::optional<std::string_view> bytes = get(row);
    if (bytes) {
      WEIR_CHECK(AppendValue(*bytes, column));
    } else {
      column->AppendNull();
    }
  }
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
    const bool is_text = columns.fields[places_.size()].type.kind == TypeKind::kString;
    places_.push_back({noun, value, noun != Noun::kValue || !is_text});
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
    Column& column = out->columns[i];
    if (places_[i].noun == Noun::kCounts) {
      column.children()[0].UseDictionary(std::make_shared<Dictionary>());
    } else if (places_[i].noun == Noun::kValue && column.type().kind == TypeKind::kString) {
      column.UseDictionary(places_[i].is_plain ? nullptr : std::make_shared<Dictionary>());
    }
  }
}

void SessionRows::LookAtDictionaries(Batch* out) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].is_plain) continue;
    Column& column = out->columns[i];
    places_[i].is_plain =
        !column.dictionary() || !PaysOff(*column.dictionary(), column.size() - column.null_count());
    if (places_[i].is_plain) column.DropDictionary();
  }
}

void SessionRows::Append(std::span<const Row> rows, const SharedTexts& texts, bool open,
                         Batch* out) {
  WEIR_DCHECK(out->columns.size() == places_.size());
  while (!rows.empty()) {
    const auto block = rows.first(std::min(kBlock, rows.size()));
    rows = rows.subspan(block.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      AppendColumn(places_[i], block, texts, open, &out->columns[i]);
    }
    const std::size_t before = out->rows();
    out->records.resize(before + block.size());
    std::iota(out->records.end() - static_cast<std::ptrdiff_t>(block.size()), out->records.end(),
              static_cast<std::uint32_t>(before));
    if (before / kRowsOfLook != out->rows() / kRowsOfLook) LookAtDictionaries(out);
  }
}

void SessionRows::AppendColumn(Place place, std::span<const Row> block, const SharedTexts& texts,
                               bool open, Column* column) {
  switch (place.noun) {
    case Noun::kKey:
      return AppendValues(
          block, [](const Row& row) { return std::optional(row.key); }, column);
    case Noun::kId:
      return AppendIds(block, column);
    case Noun::kStart:
      return AppendFixed<Micros>(
          block, [](const Session& session) { return session.start(); }, column);
    case Noun::kEnd:
      return AppendFixed<Micros>(
          block, [](const Session& session) { return session.end(); }, column);
    case Noun::kDuration:
      return AppendFixed<double>(
          block,
          [](const Session& session) { return SecondsBetween(session.start(), session.end()); },
          column);
    case Noun::kEvents:
      return AppendFixed<std::int64_t>(
          block, [](const Session& session) { return session.events; }, column);
    case Noun::kCounts:
      return AppendCounts(block, texts, column);
    case Noun::kValue:
      return AppendValues(
          block, [&](const Row& row) { return row.session->values.At(place.value); }, column);
    case Noun::kBounce:
      return AppendFixed<std::uint8_t>(
          block, [](const Session& session) { return session.events == 1 ? 1 : 0; }, column);
    case Noun::kOrderValue:
      for (const Row& row : block) AppendOrderValue(*row.session, column);
      return;
    case Noun::kOpen:
      return AppendFixed<std::uint8_t>(
          block, [&](const Session&) { return open ? 1 : 0; }, column);
    case Noun::kPartition:
      return AppendFixed<std::int32_t>(
          block, [](const Session& session) { return session.home; }, column);
  }
}

void SessionRows::AppendIds(std::span<const Row> block, Column* column) {
  for (const Row& row : block) {
    if (key_type_.kind == TypeKind::kString) {
      id_.assign(row.key);
    } else {
      id_ = ValueText(key_type_, row.key);
    }
    for (const std::int64_t number :
         {std::int64_t{row.session->home}, row.session->lowest_offset}) {
      const fmt::format_int digits(number);
      id_ += '/';
      id_.append(digits.data(), digits.size());
    }
    column->AppendString(id_);
  }
}

// The types of a session in the order of their texts.
void SessionRows::AppendCounts(std::span<const Row> block, const SharedTexts& texts,
                               Column* column) {
  Column& types = column->children()[0];
  for (const Row& row : block) {
    if (!has_event_types_) {
      column->AppendNull();
      continue;
    }
    counts_.assign(row.session->counts.begin(), row.session->counts.end());
    std::ranges::sort(counts_, {}, [&](const TypeCount& count) { return texts.At(count.type()); });
    for (const TypeCount& count : counts_) {
      const std::int32_t code =
          CodeOf(count.type(), texts.At(count.type()), types.dictionary().get());
      types.AppendBlock(&code, 1, 1);
      column->children()[1].AppendLong(static_cast<std::int64_t>(count.count()));
    }
    column->AppendList(counts_.size());
  }
}

// An id may be another text's by now.
std::int32_t SessionRows::CodeOf(SharedTexts::Id type, std::string_view text,
                                 Dictionary* dictionary) {
  if (type >= codes_.size()) codes_.resize(type + 1, -1);
  std::int32_t& code = codes_[type];
  if (code < 0 || code >= dictionary->size() || dictionary->At(code) != text) {
    code = dictionary->Intern(text);
  }
  return code;
}

void SessionRows::AppendOrderValue(const Session& session, Column* column) const {
  if (!has_order_value_ || session.value_lost) return column->AppendNull();
  const auto value = OrderValue(session.value, price_scale_);
  if (!value) return column->AppendNull();
  column->AppendDecimal(*value);
}

SessionFacts FactsOf(const Session& session) {
  SessionFacts facts;
  facts.start = session.start();
  facts.end = session.end();
  facts.events = session.events;
  for (const StepRow& row : session.steps.reached()) facts.step_times.push_back(row.time);
  return facts;
}

}  // namespace weir::stream
