#pragma once
// Points in time and spans, always in whole microseconds, always UTC. Also their text forms.

#include <chrono>
#include <cstdint>
#include <string>

namespace weir {

/// Microseconds since 1970-01-01T00:00:00Z; negative before. Leap seconds do not exist here.
using Micros = std::int64_t;

inline constexpr Micros kMicrosPerMilli = 1'000;
inline constexpr Micros kMicrosPerSecond = 1'000'000;
inline constexpr Micros kMicrosPerDay = 86'400 * kMicrosPerSecond;

/// Days since 1970-01-01 by floor division, so that -1 us is day -1.
std::int32_t FloorDay(Micros time);

/// "2026-09-01T10:00:00.123456Z"; the fraction is left out when it is zero.
std::string FormatTime(Micros time);

/// "2026-09-01" of a day number.
std::string FormatDay(std::int32_t day);

/// "1.2 s", "350 ms", "2 m 05 s": for people.
std::string FormatSpan(Micros span);

/// Days since 1970-01-01 of a proleptic Gregorian date.
constexpr std::int32_t DayOf(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  return static_cast<std::int32_t>(
      sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day))
          .time_since_epoch()
          .count());
}

}  // namespace weir
