#pragma once
// Numbers by value, not by spelling: 7, 7.0, 70e-1 and 0.7e001 are the same int. Digits go straight
// to integers, never through a double, and exponents of any length cannot overflow. The texts are
// JSON numbers that were checked already (IsNumber).

#include <cstdint>
#include <string_view>

#include "record/type.h"

namespace weir::codec {

enum class NumberFault : std::uint8_t {
  kNone,
  kLoss,      // digits that do not fit the scale and are not zero
  kTooLarge,  // more digits than allowed, or beyond the type
};

/// value * 10^scale as an integer of at most `precision` (<= 38) digits. With `floor`, digits
/// beyond the scale are dropped towards minus infinity instead of refused.
NumberFault ParseScaled(std::string_view text, int precision, int scale, Int128* out,
                        bool floor = false);

NumberFault ParseInt(std::string_view text, std::int32_t* out);
NumberFault ParseLong(std::string_view text, std::int64_t* out);

/// The nearest double or float. Numbers too small become zero; too large ones are refused.
NumberFault ParseDouble(std::string_view text, double* out);
NumberFault ParseFloat(std::string_view text, float* out);

}  // namespace weir::codec
