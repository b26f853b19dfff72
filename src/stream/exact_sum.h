#pragma once
// ExactSum: the sum of doubles without rounding, rounded once when it is asked for, and so the same
// in any order and in any cut.
//
// A fixed-point number as wide as the doubles that came need: limbs of 32 bits with room for
// carries, at most 70 of them. Infinities and NaNs are remembered apart: the sum is NaN after a NaN
// or after infinities of both signs. A sum beyond the doubles is infinite. Not thread safe.

#include <cstdint>
#include <vector>

#include "base/wire.h"

namespace weir::stream {

class ExactSum {
 public:
  void Add(double value);
  /// To the nearest double, ties to even.
  double Rounded() const;
  /// Sum / n, rounded once; n > 0.
  double Average(std::uint64_t n) const;

  void Write(WireWriter& out) const;
  /// Replaces the value; fails the reader where the bytes are none.
  void Read(WireReader& in);
  std::size_t bytes() const { return limbs_.capacity() * sizeof(std::int64_t); }

 private:
  struct Magnitude;
  double Quotient(std::uint64_t n) const;
  void Cover(int first, int end);

  std::vector<std::int64_t> limbs_;  // limb i counts 2^(32 * (first_ + i) - 1088)
  int first_ = 0;
  std::uint32_t adds_ = 0;  // since the last carrying
  std::uint8_t special_ = 0;
};

}  // namespace weir::stream
