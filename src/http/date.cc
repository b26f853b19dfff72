#include "http/date.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace weir::http {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

int Digits(std::string_view text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

}  // namespace

std::optional<Micros> ReadHttpDate(std::string_view text) {
  // 0    5  8   12   17 20 23
  // Mon, 30 Nov 2026 10:00:00 GMT
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const auto* month = std::ranges::find(kMonths, text.substr(8, 3));
  const int day = Digits(text.substr(5, 2)), year = Digits(text.substr(12, 4));
  const int hour = Digits(text.substr(17, 2)), minute = Digits(text.substr(20, 2)),
            second = Digits(text.substr(23, 2));
  if (month == kMonths.end() || day < 1 || day > 31 || year < 1970 || hour < 0 || hour > 23 ||
      minute < 0 || minute > 59 || second < 0 || second > 60) {
    return std::nullopt;
  }
  const auto month_number = static_cast<unsigned>(month - kMonths.begin() + 1);
  const Micros days = DayOf(year, month_number, static_cast<unsigned>(day));
  return days * kMicrosPerDay + ((hour * 60 + minute) * 60 + second) * kMicrosPerSecond;
}

}  // namespace weir::http
