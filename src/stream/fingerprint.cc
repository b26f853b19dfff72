#include "stream/fingerprint.h"

#include <cmath>
#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/check.h"

namespace weir::stream {

namespace {

Fingerprint Hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  Fingerprint print{hash.low64, hash.high64};
  // Zero means an empty slot, in a table that keeps the lower 56 bits too.
  if ((print.low << 8) == 0) print.low |= 1;
  return print;
}

template <typename T>
void Append(T value, std::string* out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out->append(bytes, sizeof bytes);
}

template <typename T>
T Canonical(T value) {
  if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
  return value == 0 ? T{0} : value;
}

void AppendValue(const Column& column, std::size_t row, std::string* out) {
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return Append(static_cast<std::uint8_t>(column.Boolean(row)), out);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return Append(column.Int(row), out);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return Append(column.Long(row), out);
    case TypeKind::kFloat:
      return Append(Canonical(column.Float(row)), out);
    case TypeKind::kDouble:
      return Append(Canonical(column.Double(row)), out);
    case TypeKind::kDecimal:
      return Append(column.Decimal(row), out);
    case TypeKind::kUuid: {
      const auto uuid = column.Uuid(row);
      out->append(reinterpret_cast<const char*>(uuid.data()), uuid.size());
      return;
    }
    case TypeKind::kString:
    case TypeKind::kBinary: {
      const std::string_view text = column.String(row);
      Append(static_cast<std::uint64_t>(text.size()), out);
      out->append(text);
      return;
    }
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  WEIR_CHECK(false);
}

bool IsText(const Column& column) {
  return column.type().kind == TypeKind::kString || column.type().kind == TypeKind::kBinary;
}

}  // namespace

Fingerprinter::Fingerprinter(const Schema& schema, const std::vector<std::string>& key) {
  std::string id;
  for (const std::string& name : key) {
    const auto index = schema.IndexOf(name);
    WEIR_CHECK(index.has_value());
    columns_.push_back(*index);
    for (const std::string& part : {name, ToString(schema.fields[*index].type)}) {
      Append(static_cast<std::uint64_t>(part.size()), &id);
      id += part;
    }
  }
  key_id_ = XXH3_64bits(id.data(), id.size());
}

Fingerprint Fingerprinter::Of(const Batch& batch, std::uint32_t row) {
  buffer_.clear();
  for (const std::size_t index : columns_) {
    const Column& column = batch.columns[index];
    if (column.IsNull(row)) return {};
    AppendValue(column, row, &buffer_);
  }
  return Hash(buffer_);
}

void Fingerprinter::Compute(const Batch& batch, std::span<const EventRow> rows,
                            std::span<Fingerprint> prints) {
  WEIR_DCHECK(prints.size() >= rows.size());
  // The usual key, one text, needs no length in front and no copy.
  if (columns_.size() == 1 && IsText(batch.columns[columns_[0]])) {
    const Column& column = batch.columns[columns_[0]];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i].row;
      prints[i] = column.IsNull(row) ? Fingerprint() : Hash(column.String(row));
    }
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) prints[i] = Of(batch, rows[i].row);
}

}  // namespace weir::stream
