#include "codec/number_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace weir::codec {

namespace {

constexpr std::int64_t kHugeExponent = 1'000'000'000'000;  // beyond any digits a record can hold

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A number as significant digits, without zeros at either end, times a power of ten.
struct Digits {
  bool negative = false;
  const char* first = nullptr;  // a point may stand between the digits
  std::int64_t count = 0;       // 0: the number is zero
  std::int64_t exponent = 0;    // of the last digit
};

std::int64_t ReadExponent(const char* p, const char* end) {
  bool negative = false;
  if (*p == '+' || *p == '-') negative = *p++ == '-';
  std::int64_t value = 0;
  for (; p < end; ++p) {
    if (value < kHugeExponent) value = value * 10 + (*p - '0');
  }
  return negative ? -value : value;
}

Digits Split(std::string_view text) {
  Digits digits;
  const char* p = text.data();
  const char* end = p + text.size();
  if (*p == '-') {
    digits.negative = true;
    ++p;
  }
  const char* whole_end = p;
  while (whole_end < end && IsDigit(*whole_end)) ++whole_end;
  const char* mantissa_end = whole_end;
  if (mantissa_end < end && *mantissa_end == '.') ++mantissa_end;
  while (mantissa_end < end && IsDigit(*mantissa_end)) ++mantissa_end;
  const char* last = mantissa_end;
  while (p < mantissa_end && (*p == '0' || *p == '.')) ++p;
  if (p == mantissa_end) return digits;  // zero, whatever its exponent
  do --last;
  while (*last == '0' || *last == '.');
  // 0 for the digit before the point, -1 for the first behind it.
  const auto place = [&](const char* digit) {
    return digit < whole_end ? whole_end - digit - 1 : whole_end - digit;
  };
  digits.first = p;
  digits.count = place(p) - place(last) + 1;
  digits.exponent = place(last);
  if (mantissa_end < end) digits.exponent += ReadExponent(mantissa_end + 1, end);
  return digits;
}

Int128 TenTo(std::int64_t exponent) {
  Int128 power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

// The first `count` significant digits.
Int128 ValueOf(const Digits& digits, std::int64_t count) {
  Int128 value = 0;
  for (const char* p = digits.first; count > 0; ++p) {
    if (*p == '.') continue;
    value = value * 10 + (*p - '0');
    --count;
  }
  return value;
}

template <typename T>
NumberFault ParseReal(std::string_view text, T* out) {
  const char* end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, *out);
  if (error == std::errc() && std::isfinite(*out)) return NumberFault::kNone;
  WEIR_CHECK(error == std::errc::result_out_of_range || error == std::errc());
  // Out of range means too large, or so small that the nearest value is zero.
  const Digits digits = Split(text);
  if (digits.exponent + digits.count > 0) return NumberFault::kTooLarge;
  *out = digits.negative ? T{-0.0} : T{0.0};
  return NumberFault::kNone;
}

template <typename T>
NumberFault ParseWhole(std::string_view text, int digits, T* out) {
  Int128 value = 0;
  const NumberFault fault = ParseScaled(text, digits, 0, &value);
  if (fault != NumberFault::kNone) return fault;
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
    return NumberFault::kTooLarge;
  }
  *out = static_cast<T>(value);
  return NumberFault::kNone;
}

// A number as most are: at most 18 digits, no exponent. False: not so; nothing is decided then.
struct Plain {
  bool negative = false;
  std::int64_t value = 0;
  int whole_digits = 0;
  int decimals = 0;
};

bool ReadPlain(std::string_view text, Plain* out) {
  constexpr std::size_t kMaxText = 18;
  if (text.size() > kMaxText) return false;
  const char* p = text.data();
  const char* end = p + text.size();
  out->negative = *p == '-';
  if (out->negative) ++p;
  const char* whole = p;
  std::int64_t value = 0;
  for (; p < end && IsDigit(*p); ++p) value = value * 10 + (*p - '0');
  out->whole_digits = static_cast<int>(p - whole);
  if (p < end && *p == '.') {
    const char* fraction = ++p;
    for (; p < end && IsDigit(*p); ++p) value = value * 10 + (*p - '0');
    out->decimals = static_cast<int>(p - fraction);
  }
  out->value = value;
  return p == end;
}

constexpr std::int64_t kPowersOfTen[] = {1,
                                         10,
                                         100,
                                         1'000,
                                         10'000,
                                         100'000,
                                         1'000'000,
                                         10'000'000,
                                         100'000'000,
                                         1'000'000'000,
                                         10'000'000'000,
                                         100'000'000'000,
                                         1'000'000'000'000,
                                         10'000'000'000'000,
                                         100'000'000'000'000,
                                         1'000'000'000'000'000,
                                         10'000'000'000'000'000,
                                         100'000'000'000'000'000,
                                         1'000'000'000'000'000'000};

// ParseScaled for a plain number that fits with room to spare.
bool ScalePlain(std::string_view text, int precision, int scale, Int128* out) {
  Plain plain;
  if (!ReadPlain(text, &plain) || plain.decimals > scale || plain.whole_digits + scale > 18 ||
      plain.whole_digits + scale > precision) {
    return false;
  }
  const std::int64_t value = plain.value * kPowersOfTen[scale - plain.decimals];
  *out = plain.negative ? -value : value;
  return true;
}

}  // namespace

NumberFault ParseScaled(std::string_view text, int precision, int scale, Int128* out, bool floor) {
  WEIR_DCHECK(precision <= 38);
  if (ScalePlain(text, precision, scale, out)) return NumberFault::kNone;
  const Digits digits = Split(text);
  *out = 0;
  if (digits.count == 0) return NumberFault::kNone;
  const std::int64_t shift = digits.exponent + scale;
  if (digits.count + shift > precision) return NumberFault::kTooLarge;
  if (shift < 0) {
    if (!floor) return NumberFault::kLoss;
    // What is dropped is not zero, so below zero the value steps down by one.
    const Int128 kept = ValueOf(digits, digits.count + shift);
    *out = digits.negative ? -kept - 1 : kept;
    return NumberFault::kNone;
  }
  const Int128 value = ValueOf(digits, digits.count) * TenTo(shift);
  *out = digits.negative ? -value : value;
  return NumberFault::kNone;
}

NumberFault ParseInt(std::string_view text, std::int32_t* out) { return ParseWhole(text, 10, out); }

NumberFault ParseLong(std::string_view text, std::int64_t* out) {
  return ParseWhole(text, 19, out);
}

NumberFault ParseDouble(std::string_view text, double* out) { return ParseReal(text, out); }

NumberFault ParseFloat(std::string_view text, float* out) { return ParseReal(text, out); }

}  // namespace weir::codec
