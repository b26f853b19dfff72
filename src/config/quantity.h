#pragma once
// Quantities as people write them: durations (500ms, 10m), sizes (64KiB, 1GiB) and counts
// (2_000_000). The unit is never guessed: a bare number is an error that says so. Also used by
// options of the command line. Pure functions; errors are kInvalidInput WEIR0104, without a place.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace weir::config {

/// Units ms, s, m, h, d.
Result<Micros> ParseDuration(std::string_view text);
/// Units B, KiB, MiB, GiB, TiB.
Result<std::int64_t> ParseSize(std::string_view text);
/// Whole numbers; `_` may stand between digits; a leading `-` is allowed.
Result<std::int64_t> ParseCount(std::string_view text);

/// The shortest exact spelling: "90s", "1m", "500ms".
std::string FormatDuration(Micros span);
/// "512MiB", "1GiB", "1000B".
std::string FormatSize(std::int64_t bytes);

/// "2026-11-01T00:00:00Z", with a fraction of up to six digits, or with an offset as +02:00; or
/// only a date, then its first moment in UTC.
Result<Micros> ParseTime(std::string_view text);
/// Days since 1970-01-01 of "2026-11-01".
Result<std::int32_t> ParseDate(std::string_view text);

}  // namespace weir::config
