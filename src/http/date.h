#pragma once
// The time in an HTTP header: "Mon, 30 Nov 2026 10:00:00 GMT".

#include <optional>
#include <string_view>

#include "base/time.h"

namespace weir::http {

/// Unix microseconds; nullopt for anything but the usual form.
std::optional<Micros> ReadHttpDate(std::string_view text);

}  // namespace weir::http
