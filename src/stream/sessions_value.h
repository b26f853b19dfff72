#pragma once
// Values of any column as bytes, for keys and for what a session remembers of its first and last
// rows. Bytes of one type are equal when the values are, and for types without children they sort
// as the values do. The bytes of strings are the strings.

#include <cstddef>
#include <string>
#include <string_view>

#include "record/column.h"

namespace weir::stream {

/// The bytes of a value that is not null. The view is of the column or of `scratch`.
std::string_view ValueBytes(const Column& column, std::size_t row, std::string* scratch);

/// Appends the value; false, and nothing is appended, when the bytes are none of the column's type.
bool AppendValue(std::string_view bytes, Column* column);

/// The value for people and for identifiers: strings as they are, times in RFC 3339, binary in hex.
/// The type has no children, and AppendValue takes the bytes.
std::string ValueText(const Type& type, std::string_view bytes);

}  // namespace weir::stream
