#include "parquet/value_range.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace weir::parquet {

namespace {

template <typename T>
void FindNumbers(const LeafData& leaf, std::size_t first, std::size_t n, ValueRange& range) {
  const T* values = leaf.column->fixed<T>();
  T low = values[leaf.row_of(first)];
  T high = low;
  if (leaf.value_rows.empty()) {
    for (std::size_t i = first; i < first + n; ++i) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
  } else {
    const std::uint32_t* rows = leaf.value_rows.data();
    for (std::size_t i = first; i < first + n; ++i) {
      low = std::min(low, values[rows[i]]);
      high = std::max(high, values[rows[i]]);
    }
  }
  range.empty = false;
  range.low = low;
  range.high = high;
}

template <typename T>
void FindReals(const LeafData& leaf, std::size_t first, std::size_t n, ValueRange& range) {
  const T* values = leaf.column->fixed<T>();
  for (std::size_t i = first; i < first + n; ++i) {
    const double value = static_cast<double>(values[leaf.row_of(i)]);
    if (std::isnan(value)) {
      ++range.nan_count;
      continue;
    }
    if (range.empty) range.low_real = range.high_real = value;
    range.empty = false;
    range.low_real = std::min(range.low_real, value);
    range.high_real = std::max(range.high_real, value);
  }
  // Which zero came first must not matter.
  if (!range.empty && range.low_real == 0) range.low_real = -0.0;
  if (!range.empty && range.high_real == 0) range.high_real = 0.0;
}

// The first 8 bytes as a number that orders as the bytes do: most comparisons end there.
std::uint64_t Prefix(std::string_view text) {
  if (text.empty()) return 0;  // its bytes may be nowhere
  std::uint64_t prefix = 0;
  std::memcpy(&prefix, text.data(), std::min<std::size_t>(text.size(), sizeof prefix));
  return __builtin_bswap64(prefix);
}

class TextRange {
 public:
  void Add(std::string_view text) {
    const std::uint64_t prefix = Prefix(text);
    if (empty_) {
      low_ = high_ = text;
      low_prefix_ = high_prefix_ = prefix;
      empty_ = false;
      return;
    }
    if (prefix <= low_prefix_ && (prefix < low_prefix_ || text < low_)) {
      low_ = text;
      low_prefix_ = prefix;
    }
    if (prefix >= high_prefix_ && (prefix > high_prefix_ || text > high_)) {
      high_ = text;
      high_prefix_ = prefix;
    }
  }
  void WriteTo(ValueRange& range) const {
    range.empty = empty_;
    range.low_text = low_;
    range.high_text = high_;
  }

 private:
  bool empty_ = true;
  std::uint64_t low_prefix_ = 0;
  std::uint64_t high_prefix_ = 0;
  std::string_view low_;
  std::string_view high_;
};

void FindTexts(const LeafData& leaf, std::size_t first, std::size_t n, ValueRange& range) {
  TextRange texts;
  const Column& column = *leaf.column;
  if (column.type().kind == TypeKind::kUuid) {
    for (std::size_t i = first; i < first + n; ++i) {
      const auto uuid = column.Uuid(leaf.row_of(i));
      texts.Add({reinterpret_cast<const char*>(uuid.data()), uuid.size()});
    }
  } else {
    for (std::size_t i = first; i < first + n; ++i) texts.Add(column.String(leaf.row_of(i)));
  }
  texts.WriteTo(range);
}

}  // namespace

void ValueRange::Merge(const ValueRange& other) {
  nan_count += other.nan_count;
  if (other.empty) return;
  if (empty) {
    const std::int64_t nans = nan_count;
    *this = other;
    nan_count = nans;
    return;
  }
  low = std::min(low, other.low);
  high = std::max(high, other.high);
  low_real = std::min(low_real, other.low_real);
  high_real = std::max(high_real, other.high_real);
  if (other.low_text < low_text) low_text = other.low_text;
  if (other.high_text > high_text) high_text = other.high_text;
}

ValueRange RangeFinder::Find(const LeafData& leaf, std::size_t first, std::size_t n) {
  ValueRange range;
  if (n == 0) return range;
  switch (leaf.column->type().kind) {
    case TypeKind::kBoolean:
      FindNumbers<std::uint8_t>(leaf, first, n, range);
      break;
    case TypeKind::kInt:
    case TypeKind::kDate:
      FindNumbers<std::int32_t>(leaf, first, n, range);
      break;
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      FindNumbers<std::int64_t>(leaf, first, n, range);
      break;
    case TypeKind::kDecimal:
      FindNumbers<Int128>(leaf, first, n, range);
      break;
    case TypeKind::kFloat:
      FindReals<float>(leaf, first, n, range);
      break;
    case TypeKind::kDouble:
      FindReals<double>(leaf, first, n, range);
      break;
    default:
      // Not for a few rows of a large dictionary: going over it costs more than comparing them.
      if (leaf.column->dictionary() &&
          static_cast<std::size_t>(leaf.column->dictionary()->size()) < 8 * n) {
        FindCoded(leaf, first, n, range);
      } else {
        FindTexts(leaf, first, n, range);
      }
  }
  return range;
}

void RangeFinder::FindCoded(const LeafData& leaf, std::size_t first, std::size_t n,
                            ValueRange& range) {
  const Dictionary& dictionary = *leaf.column->dictionary();
  used_.assign(static_cast<std::size_t>(dictionary.size()), 0);
  const auto* codes = leaf.column->fixed<std::int32_t>();
  for (std::size_t i = first; i < first + n; ++i) {
    used_[static_cast<std::size_t>(codes[leaf.row_of(i)])] = 1;
  }
  TextRange texts;
  for (std::size_t code = 0; code < used_.size(); ++code) {
    if (used_[code] != 0) texts.Add(dictionary.At(static_cast<std::int32_t>(code)));
  }
  texts.WriteTo(range);
}

}  // namespace weir::parquet
