#include "stream/sessions_value.h"

#include <bit>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "base/check.h"
#include "base/time.h"
#include "base/wire.h"

namespace weir::stream {
namespace {

// Big endian with the sign bit turned, so that bytes sort as numbers do.
template <typename Unsigned>
void PutOrdered(Unsigned value, std::string* out) {
  constexpr std::size_t kBits = sizeof(Unsigned) * 8;
  value ^= Unsigned{1} << (kBits - 1);
  for (std::size_t shift = kBits; shift != 0; shift -= 8) {
    out->push_back(static_cast<char>(static_cast<std::uint8_t>(value >> (shift - 8))));
  }
}

template <typename Unsigned>
Unsigned GetOrdered(std::string_view bytes) {
  WEIR_DCHECK(bytes.size() == sizeof(Unsigned));
  Unsigned value = 0;
  for (char byte : bytes) {
    value = static_cast<Unsigned>((value << 8) | static_cast<std::uint8_t>(byte));
  }
  return value ^ (Unsigned{1} << (sizeof(Unsigned) * 8 - 1));
}

std::size_t FixedSize(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBoolean:
      return 1;
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kFloat:
      return 4;
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
    case TypeKind::kDouble:
      return 8;
    case TypeKind::kDecimal:
    case TypeKind::kUuid:
      return 16;
    default:
      return 0;
  }
}

void PutFixed(const Column& column, std::size_t row, std::string* out) {
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return out->push_back(column.Boolean(row) ? '\1' : '\0');
    case TypeKind::kInt:
    case TypeKind::kDate:
      return PutOrdered(static_cast<std::uint32_t>(column.Int(row)), out);
    case TypeKind::kFloat:
      return PutOrdered(std::bit_cast<std::uint32_t>(column.Float(row)), out);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return PutOrdered(static_cast<std::uint64_t>(column.Long(row)), out);
    case TypeKind::kDouble:
      return PutOrdered(std::bit_cast<std::uint64_t>(column.Double(row)), out);
    case TypeKind::kDecimal:
      return PutOrdered(static_cast<UInt128>(column.Decimal(row)), out);
    case TypeKind::kUuid:
      out->append(reinterpret_cast<const char*>(column.Uuid(row).data()), 16);
      return;
    default:
      WEIR_CHECK(false);
  }
}

void AppendFixed(std::string_view bytes, Column* column) {
  switch (column->type().kind) {
    case TypeKind::kBoolean:
      return column->AppendBoolean(bytes[0] != 0);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return column->AppendInt(static_cast<std::int32_t>(GetOrdered<std::uint32_t>(bytes)));
    case TypeKind::kFloat:
      return column->AppendFloat(std::bit_cast<float>(GetOrdered<std::uint32_t>(bytes)));
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
      return column->AppendLong(static_cast<std::int64_t>(GetOrdered<std::uint64_t>(bytes)));
    case TypeKind::kDouble:
      return column->AppendDouble(std::bit_cast<double>(GetOrdered<std::uint64_t>(bytes)));
    case TypeKind::kDecimal:
      return column->AppendDecimal(static_cast<Int128>(GetOrdered<UInt128>(bytes)));
    case TypeKind::kUuid:
      return column->AppendUuid(std::span<const std::uint8_t, 16>(
          reinterpret_cast<const std::uint8_t*>(bytes.data()), 16));
    default:
      WEIR_CHECK(false);
  }
}

// --- values inside of others: a byte that says whether there is one, then the value -------------

void PutNested(const Column& column, std::size_t row, WireWriter* out) {
  const bool there = !column.IsNull(row);
  out->Byte(there ? 1 : 0);
  if (!there) return;
  const TypeKind kind = column.type().kind;
  if (kind == TypeKind::kString || kind == TypeKind::kBinary) return out->Text(column.String(row));
  if (kind == TypeKind::kStruct) {
    for (const Column& child : column.children()) PutNested(child, row, out);
    return;
  }
  if (column.type().is_nested()) {
    const auto begin = static_cast<std::size_t>(column.item_begin(row));
    const auto end = static_cast<std::size_t>(column.item_begin(row + 1));
    out->Varint(end - begin);
    for (std::size_t item = begin; item < end; ++item) {
      for (const Column& child : column.children()) PutNested(child, item, out);
    }
    return;
  }
  std::string bytes;
  PutFixed(column, row, &bytes);
  out->Raw(bytes);
}

void GetNested(WireReader& in, Column* column) {
  const std::uint8_t there = in.Byte();
  if (!in.ok() || there != 1) {
    if (there != 0) in.Fail();
    return column->AppendNull();
  }
  const TypeKind kind = column->type().kind;
  if (kind == TypeKind::kString || kind == TypeKind::kBinary) {
    return column->AppendString(in.Text());
  }
  if (kind == TypeKind::kStruct) {
    for (Column& child : column->children()) GetNested(in, &child);
    return column->AppendStruct();
  }
  if (column->type().is_nested()) {
    const std::uint64_t items = in.Varint();
    std::size_t got = 0;
    for (; got < items && in.ok(); ++got) {
      for (Column& child : column->children()) GetNested(in, &child);
    }
    return column->AppendList(got);
  }
  const std::string_view bytes = in.Raw(FixedSize(kind));
  if (!in.ok()) return column->AppendNull();
  AppendFixed(bytes, column);
}

}  // namespace

std::string_view ValueBytes(const Column& column, std::size_t row, std::string* scratch) {
  const TypeKind kind = column.type().kind;
  if (kind == TypeKind::kString || kind == TypeKind::kBinary) return column.String(row);
  scratch->clear();
  if (column.type().is_nested()) {
    WireWriter out;
    PutNested(column, row, &out);
    *scratch = out.Take();
  } else {
    PutFixed(column, row, scratch);
  }
  return *scratch;
}

bool AppendValue(std::string_view bytes, Column* column) {
  const TypeKind kind = column->type().kind;
  if (kind == TypeKind::kString || kind == TypeKind::kBinary) {
    column->AppendString(bytes);
    return true;
  }
  if (!column->type().is_nested()) {
    if (bytes.size() != FixedSize(kind)) return false;
    AppendFixed(bytes, column);
    return true;
  }
  const std::size_t before = column->size();
  WireReader in(bytes);
  GetNested(in, column);
  if (in.ok() && in.at_end() && !column->IsNull(before)) return true;
  column->Truncate(before);
  return false;
}

std::string ValueText(const Type& type, std::string_view bytes) {
  switch (type.kind) {
    case TypeKind::kString:
      return std::string(bytes);
    case TypeKind::kBoolean:
      return bytes[0] != 0 ? "true" : "false";
    case TypeKind::kInt:
      return fmt::to_string(static_cast<std::int32_t>(GetOrdered<std::uint32_t>(bytes)));
    case TypeKind::kDate:
      return FormatDay(static_cast<std::int32_t>(GetOrdered<std::uint32_t>(bytes)));
    case TypeKind::kFloat:
      return fmt::to_string(std::bit_cast<float>(GetOrdered<std::uint32_t>(bytes)));
    case TypeKind::kLong:
      return fmt::to_string(static_cast<std::int64_t>(GetOrdered<std::uint64_t>(bytes)));
    case TypeKind::kTimestamp:
      return FormatTime(static_cast<std::int64_t>(GetOrdered<std::uint64_t>(bytes)));
    case TypeKind::kDouble:
      return fmt::to_string(std::bit_cast<double>(GetOrdered<std::uint64_t>(bytes)));
    case TypeKind::kDecimal:
      return DecimalToString(static_cast<Int128>(GetOrdered<UInt128>(bytes)), type.scale);
    default:
      break;
  }
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool dash = type.kind == TypeKind::kUuid && (i == 4 || i == 6 || i == 8 || i == 10);
    text += fmt::format("{}{:02x}", dash ? "-" : "", static_cast<std::uint8_t>(bytes[i]));
  }
  return text;
}

}  // namespace weir::stream
