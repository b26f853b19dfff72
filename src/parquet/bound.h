#pragma once
// Bounds: the ends of a ValueRange as files and tables keep them. Iceberg's single-value form is
// cut by the metrics mode: lower bounds down, upper bounds up, so that nothing is ever outside.
// Parquet's statistics use its plain encoding. Plain values and pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "connect/column_file.h"
#include "parquet/leaf.h"
#include "parquet/value_range.h"
#include "record/type.h"

namespace weir::parquet {

/// What a table keeps of a column's values (`write.metadata.metrics.*`).
struct MetricsMode {
  enum class Kind { kNone, kCounts, kTruncate, kFull };
  Kind kind = Kind::kTruncate;
  std::size_t length = 16;  // of kTruncate: code points or bytes
};
/// nullopt for what is no mode.
std::optional<MetricsMode> ParseMetricsMode(std::string_view text);
/// The mode of one leaf, which is the index-th of its file.
MetricsMode ModeOf(const connect::FileSettings& settings, const LeafPath& leaf, std::size_t index);

/// Iceberg's bounds; nullopt when the mode keeps none or no upper bound exists.
std::optional<std::string> LowerBound(const Type& type, const ValueRange& range, MetricsMode mode);
std::optional<std::string> UpperBound(const Type& type, const ValueRange& range, MetricsMode mode);

/// Parquet's plain encoding of the smallest and largest value.
std::string PlainLow(const Type& type, const ValueRange& range);
std::string PlainHigh(const Type& type, const ValueRange& range);

/// The smallest string that is not below any string starting with the first `length` code points
/// of `text`; nullopt when there is none. A text that is not longer is its own bound.
std::optional<std::string> RoundedUpText(std::string_view text, std::size_t length);
/// The same for bytes.
std::optional<std::string> RoundedUpBytes(std::string_view bytes, std::size_t length);

}  // namespace weir::parquet
