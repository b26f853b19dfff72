#pragma once
// Dates and timestamps as text. The host's time zone plays no part and nothing passes through
// nanoseconds. All results lie in the years 0001 to 9999, UTC.

#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace weir::codec {

enum class TimeFault : std::uint8_t {
  kNone,
  kNotATime,    // not spelled as one, or a day or hour that does not exist
  kNoZone,      // a time without zone
  kOutOfRange,  // outside the years 0001 to 9999
};

/// "2026-09-01T10:00:00.123Z". The T may be t or a space, the Z z or +hh:mm, +hhmm, +hh (to 18:00);
/// seconds may be left out; 1 to 9 digits of fraction behind a point or comma, of which those
/// behind the microseconds are dropped (towards the past). 23:59:60 UTC is the second that follows,
/// as in POSIX; no other second 60 exists. Without zone: UTC if `assume_utc`, else kNoZone.
TimeFault ParseTimestamp(std::string_view text, bool assume_utc, Micros* out);

/// "2026-09-01", as days since 1970-01-01.
TimeFault ParseDate(std::string_view text, std::int32_t* out);

/// A JSON number of units since 1970, with `digits` decimal digits from unit to microsecond
/// (seconds 6, milliseconds 3, microseconds 0). What is finer than a microsecond is dropped towards
/// the past.
TimeFault ParseEpoch(std::string_view number, int digits, Micros* out);

}  // namespace weir::codec
