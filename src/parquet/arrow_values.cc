#include "parquet/arrow_values.h"

#include <charconv>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "base/check.h"
#include "connect/named_id.h"

namespace weir::parquet {

namespace {

using ArrowKind = ::arrow::Type;
using Values = std::unique_ptr<ArrowValues>;

class NullValues final : public ArrowValues {
 public:
  void Append(std::int64_t, Column& out) const override { out.AppendNull(); }
};

// Get(array, i) gives the value, Put(column, value) takes it.
template <typename Array, typename Get, typename Put>
class FlatValues final : public ArrowValues {
 public:
  FlatValues(const ::arrow::Array& array, Get get, Put put)
      : array_(static_cast<const Array&>(array)), get_(std::move(get)), put_(std::move(put)) {}
  void Append(std::int64_t i, Column& out) const override {
    if (array_.IsNull(i)) {
      out.AppendNull();
    } else {
      put_(out, get_(array_, i));
    }
  }

 private:
  const Array& array_;
  Get get_;
  Put put_;
};

template <typename Array, typename Get, typename Put>
Values Flat(const ::arrow::Array& array, Get get, Put put) {
  return std::make_unique<FlatValues<Array, Get, Put>>(array, std::move(get), std::move(put));
}

constexpr auto kView = [](const auto& array, std::int64_t i) { return array.GetView(i); };
constexpr auto kPutBoolean = [](Column& out, bool value) { out.AppendBoolean(value); };
constexpr auto kPutInt = [](Column& out, auto value) {
  out.AppendInt(static_cast<std::int32_t>(value));
};
constexpr auto kPutLong = [](Column& out, auto value) {
  out.AppendLong(static_cast<std::int64_t>(value));
};
constexpr auto kPutFloat = [](Column& out, float value) { out.AppendFloat(value); };
constexpr auto kPutDouble = [](Column& out, double value) { out.AppendDouble(value); };
constexpr auto kPutText = [](Column& out, std::string_view value) { out.AppendString(value); };

template <typename Put>
Values WholeNumbers(const ::arrow::Array& array, bool wide, Put put) {
  switch (array.type_id()) {
    case ArrowKind::INT8:
      return Flat<::arrow::Int8Array>(array, kView, put);
    case ArrowKind::INT16:
      return Flat<::arrow::Int16Array>(array, kView, put);
    case ArrowKind::INT32:
      return Flat<::arrow::Int32Array>(array, kView, put);
    case ArrowKind::UINT8:
      return Flat<::arrow::UInt8Array>(array, kView, put);
    case ArrowKind::UINT16:
      return Flat<::arrow::UInt16Array>(array, kView, put);
    case ArrowKind::INT64:
      return wide ? Flat<::arrow::Int64Array>(array, kView, put) : nullptr;
    case ArrowKind::UINT32:
      return wide ? Flat<::arrow::UInt32Array>(array, kView, put) : nullptr;
    default:
      return nullptr;
  }
}

Values Times(const ::arrow::Array& array) {
  if (array.type_id() != ArrowKind::TIMESTAMP) return nullptr;
  const auto put = [](std::int64_t multiply, std::int64_t divide) {
    return [=](Column& out, std::int64_t value) {
      std::int64_t micros = 0;
      if (__builtin_mul_overflow(value, multiply, &micros)) {
        out.AppendNull();  // no moment that a timestamp can name
        return;
      }
      const std::int64_t floor = micros / divide - (micros % divide < 0 ? 1 : 0);
      out.AppendLong(floor);
    };
  };
  using Array = ::arrow::TimestampArray;
  switch (static_cast<const ::arrow::TimestampType&>(*array.type()).unit()) {
    case ::arrow::TimeUnit::SECOND:
      return Flat<Array>(array, kView, put(1'000'000, 1));
    case ::arrow::TimeUnit::MILLI:
      return Flat<Array>(array, kView, put(1'000, 1));
    case ::arrow::TimeUnit::MICRO:
      return Flat<Array>(array, kView, kPutLong);
    case ::arrow::TimeUnit::NANO:
      return Flat<Array>(array, kView, put(1, 1'000));
  }
  return nullptr;
}

template <typename Array>
Values DecimalsOf(const ::arrow::Array& array) {
  const auto get = [](const Array& decimals, std::int64_t i) -> Int128 {
    // Two's complement, little endian, as wide as the type.
    const std::uint8_t* bytes = decimals.GetValue(i);
    const int width = decimals.byte_width();
    Int128 value = (bytes[width - 1] & 0x80U) != 0 ? -1 : 0;
    for (int byte = width; byte-- > 0;) value = value << 8 | bytes[byte];
    return value;
  };
  return Flat<Array>(array, get, [](Column& out, Int128 value) { out.AppendDecimal(value); });
}

Values Decimals(const ::arrow::Array& array, const Type& type) {
  const auto fits = [&] {
    const auto& decimal = static_cast<const ::arrow::DecimalType&>(*array.type());
    return decimal.scale() == type.scale && decimal.precision() <= type.precision;
  };
  switch (array.type_id()) {
    case ArrowKind::DECIMAL32:
      return fits() ? DecimalsOf<::arrow::Decimal32Array>(array) : nullptr;
    case ArrowKind::DECIMAL64:
      return fits() ? DecimalsOf<::arrow::Decimal64Array>(array) : nullptr;
    case ArrowKind::DECIMAL128:
      return fits() ? DecimalsOf<::arrow::Decimal128Array>(array) : nullptr;
    default:
      return nullptr;
  }
}

Values Texts(const ::arrow::Array& array) {
  switch (array.type_id()) {
    case ArrowKind::STRING:
    case ArrowKind::BINARY:
      return Flat<::arrow::BinaryArray>(array, kView, kPutText);
    case ArrowKind::LARGE_STRING:
    case ArrowKind::LARGE_BINARY:
      return Flat<::arrow::LargeBinaryArray>(array, kView, kPutText);
    case ArrowKind::STRING_VIEW:
    case ArrowKind::BINARY_VIEW:
      return Flat<::arrow::BinaryViewArray>(array, kView, kPutText);
    case ArrowKind::FIXED_SIZE_BINARY:
      return Flat<::arrow::FixedSizeBinaryArray>(array, kView, kPutText);
    default:
      return nullptr;
  }
}

Values Uuids(const ::arrow::Array& array) {
  if (array.type_id() != ArrowKind::FIXED_SIZE_BINARY) return nullptr;
  if (static_cast<const ::arrow::FixedSizeBinaryType&>(*array.type()).byte_width() != 16) {
    return nullptr;
  }
  return Flat<::arrow::FixedSizeBinaryArray>(array, kView, [](Column& out, std::string_view uuid) {
    out.AppendUuid(
        std::span<const std::uint8_t, 16>(reinterpret_cast<const std::uint8_t*>(uuid.data()), 16));
  });
}

class DictionaryValues final : public ArrowValues {
 public:
  DictionaryValues(const ::arrow::DictionaryArray& array, Values entries)
      : array_(array), entries_(std::move(entries)) {}
  void Append(std::int64_t i, Column& out) const override {
    if (array_.IsNull(i)) {
      out.AppendNull();
    } else {
      entries_->Append(array_.GetValueIndex(i), out);
    }
  }

 private:
  const ::arrow::DictionaryArray& array_;
  Values entries_;
};

class StructValues final : public ArrowValues {
 public:
  StructValues(const ::arrow::StructArray& array, std::vector<Values> children)
      : array_(array), children_(std::move(children)) {}
  void Append(std::int64_t i, Column& out) const override {
    if (array_.IsNull(i)) {
      out.AppendNull();
      return;
    }
    for (std::size_t child = 0; child < children_.size(); ++child) {
      children_[child]->Append(i, out.children()[child]);
    }
    out.AppendStruct();
  }

 private:
  const ::arrow::StructArray& array_;
  std::vector<Values> children_;
};

// Lists have one child, maps two, all of the same length.
template <typename Array>
class ListValues final : public ArrowValues {
 public:
  ListValues(const Array& array, std::vector<Values> children)
      : array_(array), children_(std::move(children)) {}
  void Append(std::int64_t i, Column& out) const override {
    if (array_.IsNull(i)) {
      out.AppendNull();
      return;
    }
    const std::int64_t begin = array_.value_offset(i);
    const std::int64_t items = array_.value_length(i);
    for (std::size_t child = 0; child < children_.size(); ++child) {
      for (std::int64_t item = begin; item < begin + items; ++item) {
        children_[child]->Append(item, out.children()[child]);
      }
    }
    out.AppendList(static_cast<std::size_t>(items));
  }

 private:
  const Array& array_;
  std::vector<Values> children_;
};

int IdOf(const ::arrow::Field& field) {
  if (!field.metadata()) return 0;
  const auto text = field.metadata()->Get("PARQUET:field_id");
  int id = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), id);
  return std::max(id, 0);
}

Result<Values> Structs(const ::arrow::StructArray& array, const Field& field) {
  std::vector<Values> children;
  for (const Field& wanted : field.type.children) {
    const ::arrow::Array* found = nullptr;
    for (int i = 0; i < array.num_fields(); ++i) {
      const ::arrow::Field& candidate = *array.struct_type()->field(i);
      const int id = IdOf(candidate);
      const bool by_id = id != 0 && wanted.id != 0 && !connect::IsNamedId(wanted.id);
      const bool same = by_id ? id == wanted.id : candidate.name() == wanted.name;
      if (same) found = array.field(i).get();
    }
    WEIR_ASSIGN_OR_RETURN(Values child, ArrowValues::Create(found, wanted));
    children.push_back(std::move(child));
  }
  return Values(std::make_unique<StructValues>(array, std::move(children)));
}

template <typename Array>
Result<Values> Lists(const ::arrow::Array& array, const Field& field,
                     const std::vector<const ::arrow::Array*>& items) {
  std::vector<Values> children;
  for (std::size_t i = 0; i < items.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(Values child, ArrowValues::Create(items[i], field.type.children[i]));
    children.push_back(std::move(child));
  }
  return Values(
      std::make_unique<ListValues<Array>>(static_cast<const Array&>(array), std::move(children)));
}

Values FlatOf(const ::arrow::Array& array, const Type& type) {
  const auto is = [&](ArrowKind::type kind) { return array.type_id() == kind; };
  switch (type.kind) {
    case TypeKind::kBoolean:
      return is(ArrowKind::BOOL) ? Flat<::arrow::BooleanArray>(array, kView, kPutBoolean) : nullptr;
    case TypeKind::kInt:
      return WholeNumbers(array, /*wide=*/false, kPutInt);
    case TypeKind::kLong:
      return WholeNumbers(array, /*wide=*/true, kPutLong);
    case TypeKind::kFloat:
      return is(ArrowKind::FLOAT) ? Flat<::arrow::FloatArray>(array, kView, kPutFloat) : nullptr;
    case TypeKind::kDouble:
      if (is(ArrowKind::FLOAT)) return Flat<::arrow::FloatArray>(array, kView, kPutDouble);
      return is(ArrowKind::DOUBLE) ? Flat<::arrow::DoubleArray>(array, kView, kPutDouble) : nullptr;
    case TypeKind::kDecimal:
      return Decimals(array, type);
    case TypeKind::kDate:
      return is(ArrowKind::DATE32) ? Flat<::arrow::Date32Array>(array, kView, kPutInt) : nullptr;
    case TypeKind::kTimestamp:
      return Times(array);
    case TypeKind::kUuid:
      return Uuids(array);
    case TypeKind::kString:
    case TypeKind::kBinary:
      return Texts(array);
    default:
      return nullptr;
  }
}

}  // namespace

Result<Values> ArrowValues::Create(const ::arrow::Array* array, const Field& field) {
  if (array == nullptr || array->type_id() == ArrowKind::NA) {
    return Values(std::make_unique<NullValues>());
  }
  switch (array->type_id()) {
    case ArrowKind::EXTENSION:
      return Create(static_cast<const ::arrow::ExtensionArray*>(array)->storage().get(), field);
    case ArrowKind::DICTIONARY: {
      const auto& coded = static_cast<const ::arrow::DictionaryArray&>(*array);
      WEIR_ASSIGN_OR_RETURN(Values entries, Create(coded.dictionary().get(), field));
      return Values(std::make_unique<DictionaryValues>(coded, std::move(entries)));
    }
    case ArrowKind::STRUCT:
      if (field.type.kind != TypeKind::kStruct) break;
      return Structs(static_cast<const ::arrow::StructArray&>(*array), field);
    case ArrowKind::LIST: {
      if (field.type.kind != TypeKind::kList) break;
      const auto& list = static_cast<const ::arrow::ListArray&>(*array);
      return Lists<::arrow::ListArray>(list, field, {list.values().get()});
    }
    case ArrowKind::LARGE_LIST: {
      if (field.type.kind != TypeKind::kList) break;
      const auto& list = static_cast<const ::arrow::LargeListArray&>(*array);
      return Lists<::arrow::LargeListArray>(list, field, {list.values().get()});
    }
    case ArrowKind::MAP: {
      if (field.type.kind != TypeKind::kMap) break;
      const auto& map = static_cast<const ::arrow::MapArray&>(*array);
      return Lists<::arrow::MapArray>(map, field, {map.keys().get(), map.items().get()});
    }
    default:
      if (Values values = FlatOf(*array, field.type)) return values;
  }
  return InvalidInput("column '" + field.name + "' holds " + array->type()->ToString() +
                      ", which is no " + ToString(field.type));
}

}  // namespace weir::parquet
