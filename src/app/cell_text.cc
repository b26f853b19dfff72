#include "app/cell_text.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/time.h"

namespace weir::app {
namespace {

std::string UuidText(std::span<const std::uint8_t, 16> uuid) {
  std::string hex = HexEncode({reinterpret_cast<const char*>(uuid.data()), uuid.size()});
  for (const std::size_t at : {8, 13, 18, 23}) hex.insert(at, "-");
  return hex;
}

std::string TextOf(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell.value)) return "\"" + *text + "\"";
  if (const auto* number = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*number);
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? "true" : "false";
  return "null";
}

std::string StructText(const Column& column, std::size_t row) {
  std::string text = "{";
  for (std::size_t i = 0; i < column.children().size(); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", column.type().children[i].name,
                        TextOf(CellOf(column.children()[i], row)));
  }
  return text + "}";
}

std::string ItemsText(const Column& column, std::size_t row) {
  const bool is_map = column.type().kind == TypeKind::kMap;
  std::string text = is_map ? "{" : "[";
  const auto begin = static_cast<std::size_t>(column.item_begin(row));
  const auto end = static_cast<std::size_t>(column.item_begin(row + 1));
  for (std::size_t item = begin; item < end; ++item) {
    if (item != begin) text += ", ";
    text += TextOf(CellOf(column.children()[0], item));
    if (is_map) text += ": " + TextOf(CellOf(column.children()[1], item));
  }
  return text + (is_map ? "}" : "]");
}

}  // namespace

Cell CellOf(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return {};
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.Boolean(row);
    case TypeKind::kInt:
      return column.Int(row);
    case TypeKind::kLong:
      return column.Long(row);
    case TypeKind::kFloat:
      return fmt::format("{}", column.Float(row));
    case TypeKind::kDouble:
      return fmt::format("{}", column.Double(row));
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), column.type().scale);
    case TypeKind::kDate:
      return FormatDay(column.Int(row));
    case TypeKind::kTimestamp:
      return FormatTime(column.Long(row));
    case TypeKind::kString:
      return column.String(row);
    case TypeKind::kUuid:
      return UuidText(column.Uuid(row));
    case TypeKind::kBinary: {
      const std::string_view bytes = column.String(row);
      return IsValidUtf8(bytes) ? Cell(bytes) : Cell("hex:" + HexEncode(bytes));
    }
    case TypeKind::kStruct:
      return StructText(column, row);
    case TypeKind::kList:
    case TypeKind::kMap:
      return ItemsText(column, row);
  }
  return {};
}

}  // namespace weir::app
