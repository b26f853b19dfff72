#pragma once
// Parquet's hybrid of run lengths and bit packing: how levels and dictionary codes are stored.
// Little endian, values packed from the lowest bit on. Pure functions that append to a buffer.

#include <cstdint>

#include "record/buffer.h"

namespace weir::parquet {

/// Bits that hold every value up to `highest`; at least 1.
int BitWidth(std::uint32_t highest);

/// Appends n values of `width` bits, 1 to 32.
void AppendHybrid(const std::uint32_t* values, std::size_t n, int width, Buffer<std::uint8_t>& out);

/// The same for levels.
void AppendHybrid(const std::uint8_t* values, std::size_t n, int width, Buffer<std::uint8_t>& out);

/// n values of one bit out of little-endian words, from bit `first` on (a multiple of 8).
void AppendHybridBits(const std::uint64_t* words, std::size_t first, std::size_t n,
                      Buffer<std::uint8_t>& out);

/// n times the same value.
void AppendRun(std::uint32_t value, std::size_t n, int width, Buffer<std::uint8_t>& out);

}  // namespace weir::parquet
