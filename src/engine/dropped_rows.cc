#include "engine/dropped_rows.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace weir::engine {

std::string KeyText(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return "null";
  const Type& type = column.type();
  switch (type.kind) {
    case TypeKind::kBoolean:
      return column.Boolean(row) ? "true" : "false";
    case TypeKind::kInt:
    case TypeKind::kDate:
      return std::to_string(column.Int(row));
    case TypeKind::kLong:
      return std::to_string(column.Long(row));
    case TypeKind::kTimestamp:
      return FormatTime(column.Long(row));
    case TypeKind::kFloat:
      return fmt::format("{}", column.Float(row) + 0.0F);  // -0.0 is 0.0
    case TypeKind::kDouble:
      return fmt::format("{}", column.Double(row) + 0.0);
    case TypeKind::kDecimal:
      return DecimalToString(column.Decimal(row), type.scale);
    case TypeKind::kString:
      return std::string(column.String(row));
    case TypeKind::kBinary:
      return Base64Encode(column.String(row));
    case TypeKind::kUuid: {
      std::string text;
      for (const std::uint8_t byte : column.Uuid(row)) text += fmt::format("{:02x}", byte);
      return text;
    }
    default:
      return "?";  // config allows no such key
  }
}

void DroppedRows::Add(const Batch& batch, const stream::EventRow& row) {
  if (full()) return;
  state::DroppedRow dropped{
      .partition = row.partition, .offset = row.offset, .event_time = row.event_time, .key = {}};
  std::size_t bytes = 0;
  for (const std::string& name : key_) {
    const auto column = batch.schema->IndexOf(name);
    if (!column) return;
    dropped.key.push_back(KeyText(batch.columns[*column], row.row));
    bytes += dropped.key.back().size();
  }
  if (bytes <= kMostKeyBytes) rows_.push_back(std::move(dropped));
}

}  // namespace weir::engine
