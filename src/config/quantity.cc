#include "config/quantity.h"

#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"

namespace weir::config {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array kDurationUnits = {
    Unit{"ms", kMicrosPerMilli}, Unit{"s", kMicrosPerSecond}, Unit{"m", 60 * kMicrosPerSecond},
    Unit{"h", 3'600 * kMicrosPerSecond}, Unit{"d", kMicrosPerDay}};
constexpr std::array kSizeUnits = {Unit{"B", 1}, Unit{"KiB", 1LL << 10}, Unit{"MiB", 1LL << 20},
                                   Unit{"GiB", 1LL << 30}, Unit{"TiB", 1LL << 40}};

Error Bad(std::string message) { return InvalidInput(std::move(message), ErrorCode::kBadValue); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Quoted(std::string_view text) { return "`" + Printable(text, 60) + "`"; }

std::string UnitNames(std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return names;
}

Result<std::int64_t> ParseWithUnit(std::string_view text, std::span<const Unit> units,
                                   std::string_view what, std::string_view example) {
  std::size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  const std::string_view unit_name = text.substr(digits);
  if (digits == 0) {
    return Bad(fmt::format("{} is no {}; write one as {}", Quoted(text), what, example));
  }
  if (unit_name.empty()) {
    return Bad(fmt::format("{} has no unit; write a {} as {}", Quoted(text), what, example));
  }
  if (unit_name[0] == '.' || unit_name[0] == ',') {
    return Bad(fmt::format("{} is no whole number; use a smaller unit", Quoted(text)));
  }
  for (const Unit& unit : units) {
    if (unit.name != unit_name) continue;
    std::int64_t number = 0;
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + digits, number);
    if (parsed.ec != std::errc() || __builtin_mul_overflow(number, unit.factor, &value)) {
      return Bad(fmt::format("{} is too large", Quoted(text)));
    }
    return value;
  }
  return Bad(fmt::format("{} has the unknown unit {}; a {} takes {}", Quoted(text),
                         Quoted(unit_name), what, UnitNames(units)));
}

std::string FormatWithUnit(std::int64_t value, std::span<const Unit> units) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (value != 0 && value % units[i].factor == 0) best = i;
  }
  return fmt::format("{}{}", value / units[best].factor, units[best].name);
}

// Reads exactly `count` digits and moves behind them.
std::optional<int> TakeDigits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!IsDigit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int32_t> TakeDate(std::string_view& text) {
  const auto year = TakeDigits(text, 4);
  if (!year || !Take(text, '-')) return std::nullopt;
  const auto month = TakeDigits(text, 2);
  if (!month || !Take(text, '-')) return std::nullopt;
  const auto day = TakeDigits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (*year < 1 || !date.ok()) return std::nullopt;
  return DayOf(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day));
}

std::optional<Micros> TakeTimeOfDay(std::string_view& text) {
  const auto hour = TakeDigits(text, 2);
  if (!hour || *hour > 23 || !Take(text, ':')) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || *minute > 59 || !Take(text, ':')) return std::nullopt;
  const auto second = TakeDigits(text, 2);
  if (!second || *second > 59) return std::nullopt;
  Micros time = ((*hour * 60LL + *minute) * 60 + *second) * kMicrosPerSecond;
  if (Take(text, '.')) {
    Micros place = kMicrosPerSecond / 10;
    const std::size_t before = text.size();
    for (; !text.empty() && IsDigit(text[0]) && place > 0; place /= 10) {
      time += place * (text[0] - '0');
      text.remove_prefix(1);
    }
    if (text.size() == before) return std::nullopt;
  }
  return time;
}

std::optional<Micros> TakeOffset(std::string_view& text) {
  if (Take(text, 'Z')) return 0;
  const Micros sign = text.starts_with('-') ? -1 : 1;
  if (!Take(text, '+') && !Take(text, '-')) return std::nullopt;
  const auto hours = TakeDigits(text, 2);
  if (!hours || *hours > 18 || !Take(text, ':')) return std::nullopt;
  const auto minutes = TakeDigits(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60LL + *minutes) * 60 * kMicrosPerSecond;
}

}  // namespace

Result<Micros> ParseDuration(std::string_view text) {
  return ParseWithUnit(text, kDurationUnits, "duration", "500ms, 1s, 10m, 2h or 5d");
}

Result<std::int64_t> ParseSize(std::string_view text) {
  return ParseWithUnit(text, kSizeUnits, "size", "64KiB, 512MiB or 1GiB");
}

Result<std::int64_t> ParseCount(std::string_view text) {
  std::string digits;
  bool well_formed = !text.empty();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between =
        i > 0 && i + 1 < text.size() && IsDigit(text[i - 1]) && IsDigit(text[i + 1]);
    if (text[i] == '_' && between) continue;
    well_formed =
        well_formed && (IsDigit(text[i]) || (i == 0 && text[i] == '-' && text.size() > 1));
    digits += text[i];
  }
  if (!well_formed) {
    return Bad(fmt::format("{} is no whole number; write one as 5000 or 2_000_000", Quoted(text)));
  }
  std::int64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc()) return Bad(fmt::format("{} is too large", Quoted(text)));
  return number;
}

std::string FormatDuration(Micros span) { return FormatWithUnit(span, kDurationUnits); }

std::string FormatSize(std::int64_t bytes) { return FormatWithUnit(bytes, kSizeUnits); }

Result<Micros> ParseTime(std::string_view text) {
  const Error bad =
      Bad(fmt::format("{} is no time; write one as 2026-11-01T00:00:00Z", Quoted(text)));
  std::string_view rest = text;
  const auto day = TakeDate(rest);
  if (!day) return bad;
  const Micros midnight = *day * kMicrosPerDay;
  if (rest.empty()) return midnight;
  if (!Take(rest, 'T')) return bad;
  const auto time = TakeTimeOfDay(rest);
  if (!time) return bad;
  const auto offset = TakeOffset(rest);
  if (!offset || !rest.empty()) return bad;
  return midnight + *time - *offset;
}

Result<std::int32_t> ParseDate(std::string_view text) {
  std::string_view rest = text;
  const auto day = TakeDate(rest);
  if (!day || !rest.empty()) {
    return Bad(fmt::format("{} is no date; write one as 2026-11-01", Quoted(text)));
  }
  return *day;
}

}  // namespace weir::config
