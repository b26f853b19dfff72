#include "parquet/partition_router.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/time.h"
#include "connect/transform.h"

namespace weir::parquet {

namespace {

using connect::PartitionField;
using connect::PartitionValue;
using connect::Transform;

constexpr Micros kMicrosPerHour = 3600 * kMicrosPerSecond;

// Small numbers for the values of one partition field, in order of first sight.
class ValueNumbers {
 public:
  std::uint32_t NumberOf(PartitionValue value) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::move(value), static_cast<std::uint32_t>(values_.size()));
    if (is_new) values_.push_back(found->first);
    return found->second;
  }
  const std::vector<PartitionValue>& values() const { return values_; }

 private:
  std::map<PartitionValue, std::uint32_t> numbers_;
  std::vector<PartitionValue> values_;
};

// Which numbers around `value` have the same result, so that the next row need not be transformed.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;  // exclusive; begin == end: nothing known
  bool Holds(std::int64_t value) const { return value >= begin && value < end; }
};

Span SpanAround(Transform transform, const Type& type, std::int64_t value) {
  std::int64_t unit = 1;
  if (type.kind == TypeKind::kTimestamp) {
    if (transform == Transform::kHour) unit = kMicrosPerHour;
    // A month or year does not change within a day either.
    if (transform == Transform::kDay || transform == Transform::kMonth ||
        transform == Transform::kYear) {
      unit = kMicrosPerDay;
    }
  }
  const std::int64_t rest = value % unit;
  Span span;
  if (__builtin_sub_overflow(value, rest < 0 ? rest + unit : rest, &span.begin) ||
      __builtin_add_overflow(span.begin, unit, &span.end)) {
    return {};
  }
  return span;
}

template <typename T>
void NumberWholes(const PartitionField& field, const RowSource& source, std::size_t rows,
                  ValueNumbers& numbers, std::vector<std::uint32_t>& out) {
  const Type& type = source.column().type();
  const T* values = source.column().fixed<T>();
  Span span;
  std::uint32_t number = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (source.IsNull(row)) {
      out[row] = numbers.NumberOf({});
      continue;
    }
    const auto value = static_cast<std::int64_t>(values[row]);
    if (!span.Holds(value)) {
      number =
          numbers.NumberOf({.number = TransformNumber(field.transform, field.width, type, value),
                            .text = std::nullopt});
      span = SpanAround(field.transform, type, value);
    }
    out[row] = number;
  }
}

void NumberCodes(const PartitionField& field, const RowSource& source, std::size_t rows,
                 ValueNumbers& numbers, std::vector<std::uint32_t>& out) {
  constexpr std::uint32_t kUnseen = ~0U;
  const Dictionary& dictionary = *source.column().dictionary();
  const auto* codes = source.column().fixed<std::int32_t>();
  std::vector<std::uint32_t> by_code(static_cast<std::size_t>(dictionary.size()), kUnseen);
  for (std::size_t row = 0; row < rows; ++row) {
    if (source.IsNull(row)) {
      out[row] = numbers.NumberOf({});
      continue;
    }
    std::uint32_t& number = by_code[static_cast<std::size_t>(codes[row])];
    if (number == kUnseen) {
      number = numbers.NumberOf(TransformText(field.transform, field.width, source.column().type(),
                                              dictionary.At(codes[row])));
    }
    out[row] = number;
  }
}

void NumberAny(const PartitionField& field, const RowSource& source, std::size_t rows,
               ValueNumbers& numbers, std::vector<std::uint32_t>& out) {
  for (std::size_t row = 0; row < rows; ++row) {
    out[row] = numbers.NumberOf(
        source.IsNull(row) ? PartitionValue{}
                           : TransformRow(field.transform, field.width, source.column(), row));
  }
}

void NumberRows(const PartitionField& field, const RowSource& source, std::size_t rows,
                ValueNumbers& numbers, std::vector<std::uint32_t>& out) {
  switch (source.column().type().kind) {
    case TypeKind::kBoolean:
      return NumberWholes<std::uint8_t>(field, source, rows, numbers, out);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return NumberWholes<std::int32_t>(field, source, rows, numbers, out);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return NumberWholes<std::int64_t>(field, source, rows, numbers, out);
    default:
      if (source.column().dictionary()) return NumberCodes(field, source, rows, numbers, out);
      return NumberAny(field, source, rows, numbers, out);
  }
}

// Folds the numbers of one more field into the groups found so far.
class Grouping {
 public:
  explicit Grouping(std::size_t rows) : group_of_(rows, 0), tuples_(1) {}

  void Split(const std::vector<std::uint32_t>& numbers, const std::vector<PartitionValue>& values) {
    if (values.size() == 1) {
      for (auto& tuple : tuples_) tuple.push_back(values[0]);
      return;
    }
    std::unordered_map<std::uint64_t, std::uint32_t> groups;
    std::vector<connect::PartitionTuple> tuples;
    std::uint64_t last = ~std::uint64_t{0};
    std::uint32_t last_group = 0;
    for (std::size_t row = 0; row < group_of_.size(); ++row) {
      const std::uint64_t pair = std::uint64_t{group_of_[row]} << 32 | numbers[row];
      if (pair != last) {
        const auto [found, is_new] =
            groups.try_emplace(pair, static_cast<std::uint32_t>(tuples.size()));
        if (is_new) {
          tuples.push_back(tuples_[group_of_[row]]);
          tuples.back().push_back(values[numbers[row]]);
        }
        last = pair;
        last_group = found->second;
      }
      group_of_[row] = last_group;
    }
    tuples_ = std::move(tuples);
  }

  std::vector<PartitionRows> Take() {
    std::vector<PartitionRows> groups(tuples_.size());
    std::vector<std::size_t> sizes(tuples_.size(), 0);
    for (const std::uint32_t group : group_of_) ++sizes[group];
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i].partition = std::move(tuples_[i]);
      groups[i].rows.reserve(sizes[i]);
    }
    for (std::size_t row = 0; row < group_of_.size(); ++row) {
      groups[group_of_[row]].rows.push_back(static_cast<std::uint32_t>(row));
    }
    std::sort(groups.begin(), groups.end(), [](const PartitionRows& a, const PartitionRows& b) {
      return a.partition < b.partition;
    });
    return groups;
  }

 private:
  std::vector<std::uint32_t> group_of_;
  std::vector<connect::PartitionTuple> tuples_;
};

}  // namespace

Result<PartitionRouter> PartitionRouter::Create(const connect::PartitionSpec& spec,
                                                const Schema& schema) {
  std::vector<Key> keys;
  for (const PartitionField& field : spec.fields) {
    Key key{.field = field, .path = PathTo(schema, field.source_id)};
    if (key.path) {
      WEIR_TRY(TransformedType(field.transform, field.width, TypeAt(schema, *key.path)));
    }
    keys.push_back(std::move(key));
  }
  return PartitionRouter(std::move(keys));
}

std::vector<PartitionRows> PartitionRouter::Route(std::span<const Column> columns,
                                                  std::size_t rows) const {
  if (rows == 0) return {};
  Grouping grouping(rows);
  std::vector<std::uint32_t> numbers(rows);
  for (const Key& key : keys_) {
    ValueNumbers values;
    if (key.path && key.field.transform != Transform::kVoid) {
      NumberRows(key.field, RowSource(columns, *key.path), rows, values, numbers);
    } else {
      std::fill(numbers.begin(), numbers.end(), values.NumberOf({}));
    }
    grouping.Split(numbers, values.values());
  }
  return grouping.Take();
}

}  // namespace weir::parquet
