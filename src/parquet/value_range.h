#pragma once
// ValueRange: smallest and largest value of some rows of a leaf.
//
// NaN is never an end, and a zero is an end as -0.0 below and +0.0 above. Strings compare by bytes,
// which is the order of their code points. Under a dictionary the distinct strings in use are
// compared, not the rows.

#include <cstdint>
#include <string>
#include <vector>

#include "parquet/leaf.h"
#include "record/type.h"

namespace weir::parquet {

struct ValueRange {
  bool empty = true;                   // no value, or only NaN
  Int128 low = 0, high = 0;            // boolean, whole numbers, decimals, dates and times
  double low_real = 0, high_real = 0;  // float and double
  std::string low_text, high_text;     // string, binary and uuid
  std::int64_t nan_count = 0;

  /// Widens this range by another one of the same leaf.
  void Merge(const ValueRange& other);
};

/// Finds ranges. Keeps its scratch memory between calls.
class RangeFinder {
 public:
  /// The range of values [first, first + n) of a leaf.
  ValueRange Find(const LeafData& leaf, std::size_t first, std::size_t n);

 private:
  void FindCoded(const LeafData& leaf, std::size_t first, std::size_t n, ValueRange& range);
  std::vector<std::uint8_t> used_;
};

}  // namespace weir::parquet
