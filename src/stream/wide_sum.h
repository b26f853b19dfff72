#pragma once
// WideSum: a sum of 128-bit integers in 192 bits, and its exact quotients. Plain values.

#include <cstdint>
#include <optional>

#include "base/wire.h"
#include "record/type.h"

namespace weir::stream {

class WideSum {
 public:
  void Add(Int128 value) {
    const auto bits = static_cast<UInt128>(value);
    low_ += bits;
    high_ += (low_ < bits ? 1 : 0) - (value < 0 ? 1 : 0);
  }
  /// nullopt: more than 38 digits.
  std::optional<Int128> Value() const;
  /// Sum * 10^digits / n, half away from zero; 0 <= digits <= 4, n > 0.
  std::optional<Int128> Average(std::uint64_t n, int digits) const;
  /// Sum / n as the nearest double, ties to even. nullopt: the sum is wider than 128 bits.
  std::optional<double> AverageDouble(std::uint64_t n) const;

  void Write(WireWriter& out) const;
  void Read(WireReader& in);

 private:
  std::optional<Int128> Narrow() const;

  UInt128 low_ = 0;
  std::int64_t high_ = 0;
};

}  // namespace weir::stream
