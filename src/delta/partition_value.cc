#include "delta/partition_value.h"

#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "base/time.h"
#include "connect/partition_path.h"
#include "connect/transform.h"

namespace weir::delta {
namespace {

using connect::PartitionValue;
using connect::Transform;

template <typename T>
std::optional<T> Whole(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

PartitionValue Number(Int128 number) { return {.number = number, .text = std::nullopt}; }

// "2026-09-01" and "-0044-03-15"; what follows the day is left in `text`.
std::optional<std::int64_t> TakeDay(std::string_view& text) {
  const std::size_t first = text.find('-', 1);
  if (first == std::string_view::npos || text.size() < first + 6 || text[first + 3] != '-') {
    return std::nullopt;
  }
  const auto year = Whole<int>(text.substr(0, first));
  const auto month = Whole<unsigned>(text.substr(first + 1, 2));
  const auto day = Whole<unsigned>(text.substr(first + 4, 2));
  if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1 || *day > 31) {
    return std::nullopt;
  }
  // The calendar of the standard library ends here; so do the days that a date can hold.
  if (*year < -32767 || *year > 32767) return std::nullopt;
  text.remove_prefix(first + 6);
  return DayOf(*year, *month, *day);
}

// Behind the day: "", "T10:00:00.123456Z", " 10:00:00.123456". Without a zone it is taken as UTC.
std::optional<std::int64_t> MicrosOf(std::string_view text) {
  const auto day = TakeDay(text);
  if (!day) return std::nullopt;
  if (text.ends_with('Z')) text.remove_suffix(1);
  Micros micros = *day * kMicrosPerDay;
  if (text.empty()) return micros;
  if ((text[0] != 'T' && text[0] != ' ') || text.size() < 9 || text[3] != ':' || text[6] != ':') {
    return std::nullopt;
  }
  const auto hour = Whole<int>(text.substr(1, 2));
  const auto minute = Whole<int>(text.substr(4, 2));
  const auto second = Whole<int>(text.substr(7, 2));
  if (!hour || !minute || !second) return std::nullopt;
  const bool is_time =
      *hour >= 0 && *hour < 24 && *minute >= 0 && *minute < 60 && *second >= 0 && *second < 60;
  if (!is_time) return std::nullopt;
  micros += ((*hour * 60 + *minute) * 60 + *second) * kMicrosPerSecond;
  text.remove_prefix(9);
  if (text.empty()) return micros;
  if (text[0] != '.' || text.size() > 10) return std::nullopt;
  std::string digits(text.substr(1, 6));
  digits.resize(6, '0');
  const auto fraction = Whole<int>(digits);
  if (!fraction || *fraction < 0) return std::nullopt;
  return micros + *fraction;
}

// "-12.3" at scale 2 is -1230; nullopt for more digits than the scale has.
std::optional<Int128> UnscaledOf(std::string_view text, int scale) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  Int128 value = 0;
  int digits = 0;
  std::optional<int> behind_point;
  for (const char c : text) {
    if (c == '.' && !behind_point) {
      behind_point = 0;
      continue;
    }
    if (c < '0' || c > '9' || ++digits > 38) return std::nullopt;
    value = value * 10 + (c - '0');
    if (behind_point) ++*behind_point;
  }
  if (digits == 0 || behind_point.value_or(0) > scale) return std::nullopt;
  for (int i = behind_point.value_or(0); i < scale; ++i) {
    if (++digits > 38) return std::nullopt;
    value *= 10;
  }
  return negative ? -value : value;
}

// Negative years, as in FormatDay, have their sign first.
std::optional<Int128> OfTransform(Transform transform, std::string_view text) {
  switch (transform) {
    case Transform::kDay:
      if (const auto day = TakeDay(text); day && text.empty()) return *day;
      return std::nullopt;
    case Transform::kHour: {
      const auto day = TakeDay(text);
      if (!day || !text.starts_with('-')) return std::nullopt;
      const auto hour = Whole<int>(text.substr(1));
      if (!hour || *hour < 0 || *hour > 23) return std::nullopt;
      return *day * 24 + *hour;
    }
    case Transform::kMonth: {
      std::string whole = std::string(text) + "-01";
      std::string_view rest = whole;
      const auto day = TakeDay(rest);
      if (!day || !rest.empty()) return std::nullopt;
      const std::chrono::year_month_day date(
          std::chrono::sys_days(std::chrono::days(static_cast<int>(*day))));
      return (static_cast<int>(date.year()) - 1970) * 12 +
             static_cast<int>(static_cast<unsigned>(date.month())) - 1;
    }
    case Transform::kYear:
      if (const auto year = Whole<int>(text); year && *year >= -32767 && *year <= 32767) {
        return *year - 1970;
      }
      return std::nullopt;
    default:
      if (const auto number = Whole<std::int64_t>(text)) return *number;
      return std::nullopt;
  }
}

std::optional<Int128> OfType(const Type& type, std::string_view text) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      if (text == "true" || text == "false") return text == "true" ? 1 : 0;
      return std::nullopt;
    case TypeKind::kInt:
    case TypeKind::kLong:
      if (const auto number = Whole<std::int64_t>(text)) return *number;
      return std::nullopt;
    case TypeKind::kDate:
      return OfTransform(Transform::kDay, text);
    case TypeKind::kTimestamp:
      if (const auto micros = MicrosOf(text)) return *micros;
      return std::nullopt;
    case TypeKind::kDecimal:
      return UnscaledOf(text, type.scale);
    default:
      return std::nullopt;
  }
}

bool StaysInPath(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == '/' || c == '=' || c == '+';
}

}  // namespace

std::optional<std::string> WhyNotWritable(const PartitionColumn& column) {
  using enum TypeKind;
  if (column.transform == Transform::kTruncate || column.transform == Transform::kVoid) {
    return connect::ToString(column.transform, column.width) + " has no form in a Delta table";
  }
  const TypeKind kind = column.type.kind;
  const bool plain = kind == kBoolean || kind == kInt || kind == kLong || kind == kDate ||
                     kind == kTimestamp || kind == kDecimal || kind == kString;
  if (!plain) return "values of type " + ToString(column.type) + " are not written as text";
  return std::nullopt;
}

std::optional<std::string> TextOfValue(const PartitionColumn& column, const PartitionValue& value) {
  if (value.is_null()) return std::nullopt;
  std::string text = connect::PartitionText(column.source, column.transform, value);
  if (text.empty()) return std::nullopt;
  // A wall-clock value must not be read as one of UTC.
  const bool is_wall_clock = column.transform == Transform::kIdentity &&
                             column.type.kind == TypeKind::kTimestamp && !column.type.zoned;
  if (const auto at = text.find('T'); is_wall_clock && at != std::string::npos) text[at] = ' ';
  return text;
}

PartitionValue ValueOfText(const PartitionColumn& column, const std::optional<std::string>& text) {
  if (!text || text->empty()) return {};
  if (column.transform == Transform::kIdentity && column.type.kind == TypeKind::kString) {
    return {.number = std::nullopt, .text = *text};
  }
  const auto number = column.transform == Transform::kIdentity
                          ? OfType(column.type, *text)
                          : OfTransform(column.transform, *text);
  if (number) return Number(*number);
  return {.number = std::nullopt, .text = *text};
}

std::string EncodePath(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (StaysInPath(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string DecodePath(std::string_view path) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && i + 2 < path.size() && digit(path[i + 1]) >= 0 &&
        digit(path[i + 2]) >= 0) {
      out += static_cast<char>(digit(path[i + 1]) * 16 + digit(path[i + 2]));
      i += 2;
    } else {
      out += path[i];
    }
  }
  return out;
}

}  // namespace weir::delta
