#include "codec/time_text.h"

#include "codec/number_text.h"

namespace weir::codec {

namespace {

constexpr Micros kMinTime = DayOf(1, 1, 1) * kMicrosPerDay;
constexpr Micros kEndTime = (DayOf(9999, 12, 31) + 1) * kMicrosPerDay;
constexpr int kMaxOffsetMinutes = 18 * 60;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes characters from the front of a text; `ok` falls once something did not match.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  bool done() const { return text_.empty(); }
  char next() const { return text_.empty() ? '\0' : text_.front(); }
  void Skip() { text_.remove_prefix(1); }
  bool Take(char c) {
    if (next() != c || done()) return false;
    Skip();
    return true;
  }
  void Expect(char c) { ok_ = Take(c) && ok_; }
  /// Exactly n digits.
  int Number(int n) {
    int value = 0;
    for (; n > 0; --n) {
      if (!IsDigit(next())) {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (next() - '0');
      Skip();
    }
    return value;
  }
  /// 1 to 9 digits of a fraction of a second, in whole microseconds.
  Micros Fraction() {
    Micros micros = 0;
    int digits = 0;
    for (; IsDigit(next()) && digits < 9; ++digits) {
      if (digits < 6) micros = micros * 10 + (next() - '0');
      Skip();
    }
    if (digits == 0 || IsDigit(next())) ok_ = false;
    for (; digits < 6; ++digits) micros *= 10;
    return micros;
  }

 private:
  std::string_view text_;
  bool ok_ = true;
};

bool IsLeap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

bool IsDay(int year, int month, int day) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  return day <= kDays[month - 1] || (month == 2 && day == 29 && IsLeap(year));
}

// Days since 1970; false where there is no such day.
bool ReadDay(Reader& reader, std::int32_t* out) {
  const int year = reader.Number(4);
  reader.Expect('-');
  const int month = reader.Number(2);
  reader.Expect('-');
  const int day = reader.Number(2);
  if (!reader.ok() || !IsDay(year, month, day)) return false;
  *out = DayOf(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
  return true;
}

// Minutes east of UTC behind a sign; false where there is no such offset.
bool ReadOffset(Reader& reader, int* minutes) {
  const bool west = reader.next() == '-';
  if (!west && reader.next() != '+') return false;
  reader.Skip();
  const int hours = reader.Number(2);
  int rest = 0;
  if (reader.Take(':') || !reader.done()) rest = reader.Number(2);
  *minutes = (hours * 60 + rest) * (west ? -1 : 1);
  return reader.ok() && rest < 60 && hours * 60 + rest <= kMaxOffsetMinutes;
}

}  // namespace

TimeFault ParseTimestamp(std::string_view text, bool assume_utc, Micros* out) {
  Reader reader(text);
  std::int32_t day = 0;
  if (!ReadDay(reader, &day)) return TimeFault::kNotATime;
  if (!reader.Take('T') && !reader.Take(' ') && !reader.Take('t')) return TimeFault::kNotATime;
  const int hour = reader.Number(2);
  reader.Expect(':');
  const int minute = reader.Number(2);
  int second = 0;
  Micros fraction = 0;
  if (reader.Take(':')) {
    second = reader.Number(2);
    if (reader.Take('.') || reader.Take(',')) fraction = reader.Fraction();
  }
  if (!reader.ok() || hour > 23 || minute > 59 || second > 60) return TimeFault::kNotATime;
  int offset = 0;
  if (reader.done()) {
    if (!assume_utc) return TimeFault::kNoZone;
  } else if (!reader.Take('Z') && !reader.Take('z') && !ReadOffset(reader, &offset)) {
    return TimeFault::kNotATime;
  }
  if (!reader.done()) return TimeFault::kNotATime;
  const int minute_of_day = hour * 60 + minute - offset;
  if (second == 60 && (minute_of_day + 2880) % 1440 != 1439) return TimeFault::kNotATime;
  const Micros time = day * kMicrosPerDay + minute_of_day * 60 * kMicrosPerSecond +
                      second * kMicrosPerSecond + fraction;
  if (time < kMinTime || time >= kEndTime) return TimeFault::kOutOfRange;
  *out = time;
  return TimeFault::kNone;
}

TimeFault ParseDate(std::string_view text, std::int32_t* out) {
  Reader reader(text);
  return ReadDay(reader, out) && reader.done() ? TimeFault::kNone : TimeFault::kNotATime;
}

TimeFault ParseEpoch(std::string_view number, int digits, Micros* out) {
  Int128 micros = 0;
  const NumberFault fault = ParseScaled(number, 19, digits, &micros, true);
  if (fault != NumberFault::kNone || micros < kMinTime || micros >= kEndTime) {
    return TimeFault::kOutOfRange;
  }
  *out = static_cast<Micros>(micros);
  return TimeFault::kNone;
}

}  // namespace weir::codec
