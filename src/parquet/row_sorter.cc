#include "parquet/row_sorter.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>
#include <utility>

#include "connect/transform.h"

namespace weir::parquet {

namespace {

using connect::PartitionValue;
using connect::Transform;

// Orders of one sort field: nulls by their place, values by their rank or own order.
struct FieldKeys {
  std::vector<std::uint64_t> keys;   // one a row to be sorted
  std::vector<std::uint8_t> places;  // empty: no nulls. Compared before the keys
};

std::uint64_t OrderOf(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
}

// IEEE order of the numbers, -0.0 below 0.0 and NaN at the end.
std::uint64_t OrderOf(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// The ranks of n values that Less(i, j) compares; equal values get equal ranks.
template <typename Less>
std::vector<std::uint64_t> RanksOf(std::size_t n, Less&& less) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), less);
  std::vector<std::uint64_t> ranks(n);
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && less(order[i - 1], order[i])) ++rank;
    ranks[order[i]] = rank;
  }
  return ranks;
}

template <typename Get>
void FillKeys(std::span<const std::uint32_t> rows, Get&& get, std::vector<std::uint64_t>& keys) {
  for (std::size_t i = 0; i < rows.size(); ++i) keys[i] = OrderOf(get(rows[i]));
}

void FillCodedText(const Column& column, std::span<const std::uint32_t> rows,
                   std::vector<std::uint64_t>& keys) {
  const Dictionary& dictionary = *column.dictionary();
  const std::vector<std::uint64_t> ranks =
      RanksOf(static_cast<std::size_t>(dictionary.size()), [&](std::uint32_t a, std::uint32_t b) {
        return dictionary.At(static_cast<std::int32_t>(a)) <
               dictionary.At(static_cast<std::int32_t>(b));
      });
  const auto* codes = column.fixed<std::int32_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!column.IsNull(rows[i])) keys[i] = ranks[static_cast<std::size_t>(codes[rows[i]])];
  }
}

// Whatever has no faster way: by the transformed values themselves.
void FillAny(const connect::SortField& field, const RowSource& source,
             std::span<const std::uint32_t> rows, std::vector<std::uint64_t>& keys) {
  std::vector<PartitionValue> values;
  values.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    values.push_back(source.IsNull(row)
                         ? PartitionValue{}
                         : TransformRow(field.transform, field.width, source.column(), row));
  }
  keys =
      RanksOf(rows.size(), [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
}

bool FillIdentity(const Column& column, std::span<const std::uint32_t> rows,
                  std::vector<std::uint64_t>& keys) {
  const auto fill = [&](auto&& get) {
    FillKeys(rows, get, keys);
    return true;
  };
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return fill([&](std::uint32_t row) { return std::int64_t{column.Boolean(row)}; });
    case TypeKind::kInt:
    case TypeKind::kDate:
      return fill([&](std::uint32_t row) { return std::int64_t{column.Int(row)}; });
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return fill([&](std::uint32_t row) { return column.Long(row); });
    case TypeKind::kFloat:
      return fill([&](std::uint32_t row) { return static_cast<double>(column.Float(row)); });
    case TypeKind::kDouble:
      return fill([&](std::uint32_t row) { return column.Double(row); });
    case TypeKind::kDecimal:
      if (column.type().precision > 18) return false;
      return fill(
          [&](std::uint32_t row) { return static_cast<std::int64_t>(column.Decimal(row)); });
    case TypeKind::kString:
    case TypeKind::kBinary:
      if (!column.dictionary()) return false;
      FillCodedText(column, rows, keys);
      return true;
    default:
      return false;
  }
}

FieldKeys KeysOf(const connect::SortField& field, const RowSource& source,
                 std::span<const std::uint32_t> rows) {
  FieldKeys result;
  result.keys.resize(rows.size());
  if (field.transform != Transform::kIdentity ||
      !FillIdentity(source.column(), rows, result.keys)) {
    FillAny(field, source, rows, result.keys);
  }
  if (!field.ascending) {
    for (std::uint64_t& key : result.keys) key = ~key;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!source.IsNull(rows[i])) continue;
    if (result.places.empty()) result.places.assign(rows.size(), 1);
    result.places[i] = field.nulls_first ? 0 : 2;
    result.keys[i] = 0;
  }
  return result;
}

}  // namespace

Result<RowSorter> RowSorter::Create(const connect::SortOrder& order, const Schema& schema) {
  std::vector<Key> keys;
  for (const connect::SortField& field : order.fields) {
    auto path = PathTo(schema, field.source_id);
    if (!path || field.transform == Transform::kVoid) continue;
    const Type& type = TypeAt(schema, *path);
    const bool is_real = type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble;
    if (!is_real || field.transform != Transform::kIdentity) {
      WEIR_TRY(TransformedType(field.transform, field.width, type));
    }
    keys.push_back({.field = field, .path = *std::move(path)});
  }
  return RowSorter(std::move(keys));
}

bool RowSorter::Sort(std::span<const Column> columns, std::vector<std::uint32_t>& rows) const {
  std::vector<FieldKeys> fields;
  for (const Key& key : keys_) {
    fields.push_back(KeysOf(key.field, RowSource(columns, key.path), rows));
  }
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    for (const FieldKeys& field : fields) {
      if (!field.places.empty() && field.places[a] != field.places[b]) {
        return field.places[a] < field.places[b];
      }
      if (field.keys[a] != field.keys[b]) return field.keys[a] < field.keys[b];
    }
    return false;
  };
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  if (std::is_sorted(order.begin(), order.end(), less)) return true;
  std::stable_sort(order.begin(), order.end(), less);
  std::vector<std::uint32_t> sorted;
  sorted.reserve(rows.size());
  for (const std::uint32_t i : order) sorted.push_back(rows[i]);
  rows = std::move(sorted);
  return false;
}

}  // namespace weir::parquet
