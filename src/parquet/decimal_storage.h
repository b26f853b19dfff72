#pragma once
// How Parquet stores decimals of a precision in tables: as an int32, an int64, or the fewest
// big-endian bytes that hold every value. Pure functions.

#include <cstddef>
#include <cstdint>

#include "record/type.h"

namespace weir::parquet {

enum class DecimalStorage { kInt32, kInt64, kFixedBytes };

constexpr DecimalStorage DecimalStorageOf(int precision) {
  return precision <= 9    ? DecimalStorage::kInt32
         : precision <= 18 ? DecimalStorage::kInt64
                           : DecimalStorage::kFixedBytes;
}

/// Bytes of a decimal that is stored as fixed bytes: the least n with 10^precision <= 2^(8n - 1).
constexpr std::size_t DecimalWidth(int precision) {
  UInt128 limit = 1;
  for (int i = 0; i < precision; ++i) limit *= 10;
  std::size_t width = 1;
  while (width < 16 && limit > UInt128{1} << (8 * width - 1)) ++width;
  return width;
}

/// The low `width` bytes of a value, big endian.
inline void StoreDecimal(Int128 value, std::size_t width, std::uint8_t* out) {
  for (std::size_t i = width; i-- > 0; value >>= 8) out[i] = static_cast<std::uint8_t>(value);
}

}  // namespace weir::parquet
