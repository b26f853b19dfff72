#include "stream/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "record/type.h"

namespace weir::stream {

namespace {

constexpr int kLimbBits = 32;
constexpr int kZeroBit = 1088;  // limb 0 begins at 2^-1088, below the least double
constexpr int kMaxLimbs = 70;
constexpr std::uint32_t kAddsWithoutCarry = std::uint32_t{1} << 29;
constexpr std::uint64_t kLimbMask = 0xFFFFFFFF;

constexpr std::uint8_t kNan = 1;
constexpr std::uint8_t kPlusInfinity = 2;
constexpr std::uint8_t kMinusInfinity = 4;

// Every limb but the last in [0, 2^32); the last has the sign. No more limbs than needed.
void Carry(std::vector<std::int64_t>* limbs) {
  std::int64_t carry = 0;
  for (std::int64_t& limb : *limbs) {
    const std::int64_t sum = limb + carry;
    limb = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) & kLimbMask);
    carry = sum >> kLimbBits;
  }
  if (!limbs->empty()) limbs->push_back(carry);
  while (limbs->size() > 1 && limbs->back() == 0) limbs->pop_back();
  while (limbs->size() > 1 && limbs->back() == -1) {
    limbs->pop_back();
    limbs->back() -= static_cast<std::int64_t>(kLimbMask) + 1;
  }
}

// w * 2^exponent with its highest bit set, and something more if sticky: to the nearest double.
double RoundToDouble(std::uint64_t w, bool sticky, int exponent) {
  const int top = exponent + 63;  // of the highest bit
  const int keep = std::min(53, top + 1075);
  if (keep < 0) return 0;
  if (keep == 0) {
    const bool above_half = (w << 1) != 0 || sticky;
    return above_half ? std::numeric_limits<double>::denorm_min() : 0;
  }
  const int drop = 64 - keep;
  std::uint64_t kept = w >> drop;
  const std::uint64_t rest = w & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
  return std::ldexp(static_cast<double>(kept), exponent + drop);
}

}  // namespace

// Limbs without sign, all in [0, 2^32), the last not zero; none: zero.
struct ExactSum::Magnitude {
  std::vector<std::int64_t> limbs;
  int exponent = 0;  // of the lowest bit
  bool negative = false;
  bool sticky = false;

  void Divide(std::uint64_t n) {
    // 128 more bits, so that what is cut off cannot be part of what is kept.
    limbs.insert(limbs.begin(), 4, 0);
    exponent -= 4 * kLimbBits;
    UInt128 rest = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) {
      const UInt128 value = (rest << kLimbBits) | static_cast<UInt128>(limbs[i]);
      limbs[i] = static_cast<std::int64_t>(value / n);
      rest = value % n;
    }
    sticky = rest != 0;
    Trim();
  }
  void Trim() {
    while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  }
  double Rounded() const {
    if (limbs.empty()) return 0;
    // The highest 64 bits.
    UInt128 window = 0;
    std::size_t low = limbs.size();
    for (int taken = 0; taken < 3 && low > 0; ++taken) {
      window = (window << kLimbBits) | static_cast<UInt128>(limbs[--low]);
    }
    bool more = sticky;
    for (std::size_t i = 0; i < low; ++i) more = more || limbs[i] != 0;
    int at = exponent + kLimbBits * static_cast<int>(low);
    const auto upper = static_cast<std::uint64_t>(window >> 64);
    if (upper != 0) {
      const int shift = 64 - std::countl_zero(upper);
      more = more || (window & ((static_cast<UInt128>(1) << shift) - 1)) != 0;
      window >>= shift;
      at += shift;
    }
    const auto word = static_cast<std::uint64_t>(window);
    const int shift = std::countl_zero(word);
    const double value = RoundToDouble(word << shift, more, at - shift);
    return negative ? -value : value;
  }
};

void ExactSum::Cover(int first, int end) {
  if (limbs_.empty()) {
    first_ = first;
    limbs_.resize(static_cast<std::size_t>(end - first));
    return;
  }
  if (first < first_) {
    limbs_.insert(limbs_.begin(), static_cast<std::size_t>(first_ - first), 0);
    first_ = first;
  }
  const auto size = static_cast<std::size_t>(end - first_);
  if (limbs_.size() < size) limbs_.resize(size);
}

void ExactSum::Add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = (bits >> 63) != 0;
  int exponent = static_cast<int>((bits >> 52) & 0x7FF);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7FF) {
    special_ |= mantissa != 0 ? kNan : negative ? kMinusInfinity : kPlusInfinity;
    return;
  }
  if (exponent == 0) {
    exponent = 1;
  } else {
    mantissa |= std::uint64_t{1} << 52;
  }
  if (mantissa == 0) return;
  const int bit = exponent - 1075 + kZeroBit;
  const int limb = bit / kLimbBits;
  Cover(limb, limb + 3);
  if (++adds_ == kAddsWithoutCarry) {
    Carry(&limbs_);
    adds_ = 1;
    Cover(limb, limb + 3);
  }
  const UInt128 shifted = static_cast<UInt128>(mantissa) << (bit % kLimbBits);
  std::int64_t* at = limbs_.data() + (limb - first_);
  for (int i = 0; i < 3; ++i) {
    const auto part = static_cast<std::int64_t>(
        static_cast<std::uint64_t>(shifted >> (kLimbBits * i)) & kLimbMask);
    at[i] += negative ? -part : part;
  }
}

double ExactSum::Quotient(std::uint64_t n) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (special_ == kPlusInfinity) return kInfinity;
  if (special_ == kMinusInfinity) return -kInfinity;
  if (special_ != 0) return std::numeric_limits<double>::quiet_NaN();
  Magnitude magnitude;
  magnitude.limbs = limbs_;
  magnitude.exponent = kLimbBits * first_ - kZeroBit;
  Carry(&magnitude.limbs);
  if (!magnitude.limbs.empty() && magnitude.limbs.back() < 0) {
    magnitude.negative = true;
    for (std::int64_t& limb : magnitude.limbs) limb = -limb;
    Carry(&magnitude.limbs);
  }
  magnitude.Trim();
  if (n != 1 && !magnitude.limbs.empty()) magnitude.Divide(n);
  return magnitude.Rounded();
}

double ExactSum::Rounded() const { return Quotient(1); }

double ExactSum::Average(std::uint64_t n) const {
  WEIR_CHECK(n > 0);
  return Quotient(n);
}

void ExactSum::Write(WireWriter& out) const {
  std::vector<std::int64_t> limbs = limbs_;
  Carry(&limbs);
  out.Byte(special_);
  out.Byte(static_cast<std::uint8_t>(first_));
  out.Byte(static_cast<std::uint8_t>(limbs.size()));
  for (const std::int64_t limb : limbs) out.Zigzag(limb);
}

void ExactSum::Read(WireReader& in) {
  special_ = in.Byte();
  first_ = in.Byte();
  const std::size_t size = in.Byte();
  adds_ = 0;
  limbs_.clear();
  if (special_ > 7 || first_ + static_cast<int>(size) > kMaxLimbs) in.Fail();
  for (std::size_t i = 0; i < size && in.ok(); ++i) {
    limbs_.push_back(in.Zigzag());
    if (limbs_.back() > static_cast<std::int64_t>(kLimbMask) ||
        limbs_.back() < -static_cast<std::int64_t>(kLimbMask) - 1) {
      in.Fail();
    }
  }
}

}  // namespace weir::stream
