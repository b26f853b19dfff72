#include "base/time.h"

#include <fmt/format.h>

namespace weir {
namespace {

constexpr Micros kMicrosPerMinute = 60 * kMicrosPerSecond;
constexpr Micros kMicrosPerHour = 60 * kMicrosPerMinute;

Micros FloorDivide(Micros value, Micros divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

struct Date {
  std::int64_t year;
  std::int64_t month;
  std::int64_t day;
};

// Not std::chrono: its years end at 32767, while Micros reach almost ten times as far. Counts in
// 400-year cycles of 146,097 days from 0000-03-01, so that the leap day is a year's last day.
Date DateOf(std::int64_t day) {
  const std::int64_t shifted = day + 719'468;
  const std::int64_t cycle = FloorDivide(shifted, 146'097);
  const std::int64_t in_cycle = shifted - cycle * 146'097;
  const std::int64_t year_in_cycle =
      (in_cycle - in_cycle / 1'460 + in_cycle / 36'524 - in_cycle / 146'096) / 365;
  const std::int64_t in_year =
      in_cycle - (365 * year_in_cycle + year_in_cycle / 4 - year_in_cycle / 100);
  const std::int64_t month_from_march = (5 * in_year + 2) / 153;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {.year = cycle * 400 + year_in_cycle + (month <= 2 ? 1 : 0),
          .month = month,
          .day = in_year - (153 * month_from_march + 2) / 5 + 1};
}

// Years outside 0000-9999 carry a sign, as ISO 8601 wants it.
std::string FormatDate(Date date) {
  if (date.year < 0 || date.year > 9999) {
    return fmt::format("{:+05}-{:02}-{:02}", date.year, date.month, date.day);
  }
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

}  // namespace

std::int32_t FloorDay(Micros time) {
  return static_cast<std::int32_t>(FloorDivide(time, kMicrosPerDay));
}

std::string FormatTime(Micros time) {
  const std::int64_t day = FloorDivide(time, kMicrosPerDay);
  const Micros in_day = time % kMicrosPerDay + (time % kMicrosPerDay < 0 ? kMicrosPerDay : 0);
  std::string text =
      fmt::format("{}T{:02}:{:02}:{:02}", FormatDate(DateOf(day)), in_day / kMicrosPerHour,
                  in_day / kMicrosPerMinute % 60, in_day / kMicrosPerSecond % 60);
  if (const Micros fraction = in_day % kMicrosPerSecond; fraction != 0) {
    text += fmt::format(".{:06}", fraction);
  }
  return text + "Z";
}

std::string FormatDay(std::int32_t day) { return FormatDate(DateOf(day)); }

// Digits are cut, not rounded, so that 59.99 s does not read as 60.0 s.
std::string FormatSpan(Micros span) {
  if (span < 0) return "-" + FormatSpan(span == INT64_MIN ? INT64_MAX : -span);
  if (span < kMicrosPerMilli) return fmt::format("{} us", span);
  if (span < kMicrosPerSecond) return fmt::format("{} ms", span / kMicrosPerMilli);
  if (span < kMicrosPerMinute) {
    return fmt::format("{}.{} s", span / kMicrosPerSecond, span / (kMicrosPerSecond / 10) % 10);
  }
  if (span < kMicrosPerHour) {
    return fmt::format("{} m {:02} s", span / kMicrosPerMinute, span / kMicrosPerSecond % 60);
  }
  if (span < kMicrosPerDay) {
    return fmt::format("{} h {:02} m", span / kMicrosPerHour, span / kMicrosPerMinute % 60);
  }
  return fmt::format("{} d {:02} h", span / kMicrosPerDay, span / kMicrosPerHour % 24);
}

}  // namespace weir
