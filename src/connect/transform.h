#pragma once
// Partition transforms: from a column value to the value that a row is partitioned (or sorted) by.
// As Iceberg's spec defines them: floor division for times, murmur3 for buckets, code points for
// strings, null to null. Pure functions, safe from any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "connect/data_file.h"
#include "connect/table.h"
#include "record/column.h"
#include "record/type.h"

namespace weir::connect {

/// murmur3, 32 bits, x86 variant.
std::uint32_t Murmur3(std::string_view bytes, std::uint32_t seed = 0);

/// The type of transform(source). Errors: kUnsupported WEIR0403 when the source type does not allow
/// the transform, or the width is not positive where one is needed.
Result<Type> TransformedType(Transform transform, int width, const Type& source);

/// transform of a whole number: int, long, boolean, date (days), timestamp (microseconds) or
/// decimal (unscaled). Only for pairs that TransformedType accepts.
Int128 TransformNumber(Transform transform, int width, const Type& source, Int128 value);

/// transform of a string, binary or uuid (16 bytes); a bucket is a number, the rest is text.
PartitionValue TransformText(Transform transform, int width, const Type& source,
                             std::string_view value);

/// transform of one row of a column; null for a null row and for void.
PartitionValue TransformRow(Transform transform, int width, const Column& column, std::size_t row);

/// The first `count` code points of valid UTF-8.
std::string_view FirstCodePoints(std::string_view text, std::size_t count);

/// "day", "bucket[16]": the name in table metadata.
std::string ToString(Transform transform, int width);
/// The transform of such a name; nullopt when it is none that we know.
struct TransformAndWidth {
  Transform transform = Transform::kIdentity;
  int width = 0;
};
std::optional<TransformAndWidth> ParseTransform(std::string_view name);

/// Unscaled decimal as the fewest big-endian two's complement bytes: what buckets hash and how
/// bounds are stored.
std::string DecimalBytes(Int128 unscaled);

}  // namespace weir::connect
