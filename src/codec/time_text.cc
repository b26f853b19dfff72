#include "codec/time_text.h"

#include <bit>
#include <cstring>

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

std::uint64_t Load64(const char* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

// Eight characters against a pattern in which 0 stands for any digit: the values of the digits as
// bytes (0 where the pattern has another character), or false. Bytes count from the lowest.
bool ReadPattern(const char* p, std::uint64_t pattern, std::uint64_t digits, std::uint64_t* out) {
  const std::uint64_t differ = Load64(p) ^ pattern;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  constexpr std::uint64_t kAboveNine = 0x7676767676767676;  // + 10 or more reaches the high bit
  *out = differ;
  return (((differ + kAboveNine) | differ) & kHigh) == 0 && (differ & ~digits) == 0;
}

// The two digits that start at byte i of what ReadPattern gave.
int Pair(std::uint64_t digits, int i) {
  const std::uint64_t pairs = digits * 10 + (digits >> 8);
  return static_cast<int>((pairs >> (8 * i)) & 0xFF);
}

// The spelling that nearly all producers use: "2026-09-01T10:00:00Z" with 0, 3 or 6 digits of
// fraction. False: something else, good or bad; nothing is decided then.
bool ReadUsualTimestamp(std::string_view text, Micros* out) {
  if constexpr (std::endian::native != std::endian::little) return false;
  const std::size_t n = text.size();
  if ((n != 20 && n != 24 && n != 27) || text[n - 1] != 'Z') return false;
  const char* p = text.data();
  std::uint64_t date = 0;
  std::uint64_t time = 0;
  std::uint64_t rest = 0;
  // "YYYY-MM-", "DDThh:mm", and "mm:ss..." from one byte inside the second.
  if (!ReadPattern(p, 0x2d30302d30303030, 0x00FFFF00FFFFFFFF, &date) ||
      !ReadPattern(p + 8, 0x30303a3030543030, 0xFFFF00FFFF00FFFF, &time) ||
      !ReadPattern(p + 11, 0x30303a30303a3030, 0xFFFF00FFFF00FFFF, &rest)) {
    return false;
  }
  Micros fraction = 0;
  if (n != 20) {
    if (p[19] != '.') return false;
    for (std::size_t i = 20; i < n - 1; ++i) {
      if (!IsDigit(p[i])) return false;
      fraction = fraction * 10 + (p[i] - '0');
    }
    if (n == 24) fraction *= 1000;
  }
  const int year = Pair(date, 0) * 100 + Pair(date, 2);
  const int month = Pair(date, 5);
  const int day = Pair(time, 0);
  const int hour = Pair(time, 3);
  const int minute = Pair(time, 6);
  const int second = Pair(rest, 6);
  if (!IsDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return false;
  const Micros days = DayOf(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
  *out = days * kMicrosPerDay + ((hour * 60 + minute) * 60 + second) * kMicrosPerSecond + fraction;
  return true;
}

}  // namespace

TimeFault ParseTimestamp(std::string_view text, bool assume_utc, Micros* out) {
  if (ReadUsualTimestamp(text, out)) return TimeFault::kNone;
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
  const Micros second_of_day = Micros{minute_of_day} * 60 + second;
  const Micros time = day * kMicrosPerDay + second_of_day * kMicrosPerSecond + fraction;
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
