#include "generate/time_text.h"

namespace weir::generate {

void TimeText::Write(Micros time, int digits, JsonText& out) {
  const std::int32_t day = FloorDay(time);
  if (day != day_) {
    day_ = day;
    day_text_ = FormatDay(day) + "T";
  }
  const auto in_day = static_cast<std::uint64_t>(time - day * kMicrosPerDay);
  const std::uint64_t seconds = in_day / 1'000'000;
  const std::uint64_t fraction = in_day % 1'000'000;
  out.Text(day_text_);
  out.Padded(seconds / 3600, 2);
  out.Char(':');
  out.Padded(seconds / 60 % 60, 2);
  out.Char(':');
  out.Padded(seconds % 60, 2);
  out.Char('.');
  out.Padded(digits == 3 ? fraction / 1000 : fraction, digits);
  out.Char('Z');
}

}  // namespace weir::generate
