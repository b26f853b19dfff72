#include "stream/wide_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace weir::stream {

namespace {

UInt128 TenTo(int digits) {
  UInt128 power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  return power;
}

UInt128 SizeOf(Int128 value) {
  return value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
}

std::optional<Int128> InDigits(UInt128 size, bool negative) {
  static const UInt128 kEnd = TenTo(38);
  if (size >= kEnd) return std::nullopt;
  return negative ? -static_cast<Int128>(size) : static_cast<Int128>(size);
}

int BitsOf(UInt128 value) {
  const auto upper = static_cast<std::uint64_t>(value >> 64);
  const auto lower = static_cast<std::uint64_t>(value);
  return static_cast<int>(upper != 0 ? 64 + std::bit_width(upper) : std::bit_width(lower));
}

}  // namespace

std::optional<Int128> WideSum::Narrow() const {
  const bool negative = (low_ >> 127) != 0;
  if (high_ != (negative ? -1 : 0)) return std::nullopt;
  return static_cast<Int128>(low_);
}

std::optional<Int128> WideSum::Value() const {
  const std::optional<Int128> value = Narrow();
  if (!value) return std::nullopt;
  return InDigits(SizeOf(*value), *value < 0);
}

std::optional<Int128> WideSum::Average(std::uint64_t n, int digits) const {
  WEIR_CHECK(n > 0 && digits >= 0 && digits <= 4);
  // Long division in 64-bit steps: the sum may be wider than what fits once it is divided.
  const bool negative = high_ < 0;
  UInt128 low = low_;
  auto high = static_cast<std::uint64_t>(high_);
  if (negative) {
    low = -low;
    high = ~high + (low == 0 ? 1 : 0);
  }
  UInt128 rest = high % n;
  if (high / n != 0) return std::nullopt;
  rest = (rest << 64) | static_cast<std::uint64_t>(low >> 64);
  UInt128 whole = rest / n;
  if ((whole >> 64) != 0) return std::nullopt;
  rest = ((rest % n) << 64) | static_cast<std::uint64_t>(low);
  whole = (whole << 64) + rest / n;
  rest = (rest % n) * TenTo(digits);
  if (!InDigits(whole, false) || whole > TenTo(38) / TenTo(digits)) return std::nullopt;
  UInt128 result = whole * TenTo(digits) + rest / n;
  if (2 * (rest % n) >= n) ++result;
  return InDigits(result, negative);
}

std::optional<double> WideSum::AverageDouble(std::uint64_t n) const {
  WEIR_CHECK(n > 0);
  const std::optional<Int128> sum = Narrow();
  if (!sum) return std::nullopt;
  if (*sum == 0) return 0;
  UInt128 size = SizeOf(*sum);
  // Shifted so that the quotient has 64 bits or more; what is lost below is one sticky bit.
  const int shift = std::max(0, 64 + static_cast<int>(std::bit_width(n)) - BitsOf(size));
  WEIR_CHECK(BitsOf(size) + shift <= 128);
  size <<= shift;
  UInt128 quotient = size / n;
  bool sticky = size % n != 0;
  const int cut = std::max(0, BitsOf(quotient) - 64);
  sticky = sticky || (quotient & ((static_cast<UInt128>(1) << cut) - 1)) != 0;
  const std::uint64_t word = static_cast<std::uint64_t>(quotient >> cut) | (sticky ? 1U : 0U);
  // 64 bits, the lowest of them sticky: the conversion rounds as the whole quotient would.
  const double value = std::ldexp(static_cast<double>(word), cut - shift);
  return *sum < 0 ? -value : value;
}

void WideSum::Write(WireWriter& out) const {
  out.Fixed64(static_cast<std::uint64_t>(low_));
  out.Fixed64(static_cast<std::uint64_t>(low_ >> 64));
  out.Zigzag(high_);
}

void WideSum::Read(WireReader& in) {
  low_ = in.Fixed64();
  low_ |= static_cast<UInt128>(in.Fixed64()) << 64;
  high_ = in.Zigzag();
}

}  // namespace weir::stream
