#pragma once
// RowKey: the values of some columns of a row as bytes whose order is the order of the values.
//
// Column after column, nulls first; numbers by value (-0.0 is 0.0, NaN is one and the greatest),
// texts and UUIDs by their bytes. Equal values, and only these, have equal bytes, and the bytes
// give the values back: they serve as hash key, as sort key and as the form in which state keeps a
// group. The form must not change. Pure functions.

#include <array>
#include <string>
#include <string_view>

#include "record/column.h"

namespace weir::stream {

/// A column of any scalar type.
void AppendKeyPart(const Column& column, std::size_t row, std::string* key);

/// The key of one value alone: for short texts, the usual ones, put together in one step.
class ValueKey {
 public:
  /// As AppendKeyPart gives it. Good until the next call.
  std::string_view Of(const Column& column, std::size_t row);

 private:
  std::array<char, 64> short_;
  std::string long_;
};

/// Takes one part off the front of `key` and appends its value; false where the bytes are no part
/// of this type, and then nothing was appended.
bool TakeKeyPart(std::string_view* key, Column* out);

/// Order of a double, as a number: -inf < ... < 0 < ... < inf < NaN.
std::uint64_t OrderOf(double value);
double DoubleOf(std::uint64_t order);

}  // namespace weir::stream
