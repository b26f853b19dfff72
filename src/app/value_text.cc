#include "app/value_text.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "app/cell_text.h"
#include "app/yaml_as_json.h"
#include "base/bytes.h"
#include "base/time.h"
#include "config/quantity.h"

namespace weir::app {
namespace {

using config::YamlNode;

constexpr std::string_view kHex = "hex:";  // binary values that are no UTF-8

std::string Join(const std::vector<std::string>& parts, char open, char close) {
  std::string text(1, open);
  for (const std::string& part : parts) text += (text.size() == 1 ? "" : ", ") + part;
  return text + close;
}

std::string ItemsText(const Column& column, std::size_t row) {
  const bool is_map = column.type().kind == TypeKind::kMap;
  std::vector<std::string> parts;
  for (auto item = static_cast<std::size_t>(column.item_begin(row));
       item < static_cast<std::size_t>(column.item_begin(row + 1)); ++item) {
    std::string part = ValueText(column.children()[0], item);
    if (is_map) part += ": " + ValueText(column.children()[1], item);
    parts.push_back(std::move(part));
  }
  if (is_map) std::ranges::sort(parts);
  return is_map ? Join(parts, '{', '}') : Join(parts, '[', ']');
}

Error NotOf(const YamlNode& node, const Type& type) {
  return InvalidInput(
      fmt::format("line {}: {} is no value of type {}", node.line,
                  node.is_scalar() ? "`" + node.text + "`" : std::string(Describe(node.kind)),
                  ToString(type)),
      ErrorCode::kBadValue);
}

Result<std::string> MapText(const YamlNode& node, const Type& type) {
  std::vector<std::string> parts;
  for (const config::YamlEntry& entry : node.entries) {
    WEIR_ASSIGN_OR_RETURN(const std::string value, ValueText(entry.value, type.children[1].type));
    parts.push_back(QuoteText(entry.key) + ": " + value);
  }
  std::ranges::sort(parts);
  return Join(parts, '{', '}');
}

Result<std::string> StructText(const YamlNode& node, const Type& type) {
  std::vector<std::string> parts;
  for (const Field& field : type.children) {
    auto entry = std::ranges::find(node.entries, field.name, &config::YamlEntry::key);
    std::string value = "null";
    if (entry != node.entries.end()) {
      WEIR_ASSIGN_OR_RETURN(value, ValueText(entry->value, field.type));
    }
    parts.push_back(field.name + ": " + value);
  }
  return Join(parts, '{', '}');
}

Result<std::string> ListText(const YamlNode& node, const Type& type) {
  std::vector<std::string> parts;
  for (const YamlNode& item : node.items) {
    WEIR_ASSIGN_OR_RETURN(std::string value, ValueText(item, type.children[0].type));
    parts.push_back(std::move(value));
  }
  return Join(parts, '[', ']');
}

template <typename Number>
Result<std::string> FloatText(const YamlNode& node, const Type& type,
                              Number (*parse)(const char*, char**)) {
  char* end = nullptr;
  const Number value = parse(node.text.c_str(), &end);
  if (node.text.empty() || *end != '\0') return NotOf(node, type);
  return fmt::format("{}", value);
}

}  // namespace

std::string ValueText(const Column& column, std::size_t row) {
  if (column.IsNull(row)) return "null";
  switch (column.type().kind) {
    case TypeKind::kString:
      return QuoteText(column.String(row));
    case TypeKind::kBinary: {
      const std::string_view bytes = column.String(row);
      return IsValidUtf8(bytes) ? QuoteText(bytes) : std::string(kHex) + HexEncode(bytes);
    }
    case TypeKind::kList:
    case TypeKind::kMap:
      return ItemsText(column, row);
    case TypeKind::kStruct: {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < column.children().size(); ++i)
        parts.push_back(column.type().children[i].name + ": " +
                        ValueText(column.children()[i], row));
      return Join(parts, '{', '}');
    }
    default:
      break;
  }
  const Cell cell = CellOf(column, row);
  if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*number);
  return std::get<bool>(cell.value) ? "true" : "false";
}

Result<std::string> ValueText(const YamlNode& node, const Type& type) {
  if (node.is_null()) return "null";
  if (type.kind == TypeKind::kMap && node.is_mapping()) return MapText(node, type);
  if (type.kind == TypeKind::kStruct && node.is_mapping()) return StructText(node, type);
  if (type.kind == TypeKind::kList && node.is_list()) return ListText(node, type);
  if (type.is_nested() || !node.is_scalar()) return NotOf(node, type);
  switch (type.kind) {
    case TypeKind::kString:
      return QuoteText(node.text);
    case TypeKind::kBinary:
      return node.text.starts_with(kHex) ? node.text : QuoteText(node.text);
    case TypeKind::kTimestamp: {
      const auto time = config::ParseTime(node.text);
      return time ? Result<std::string>(FormatTime(*time)) : NotOf(node, type);
    }
    case TypeKind::kDouble:
      return FloatText(node, type, std::strtod);
    case TypeKind::kFloat:
      return FloatText(node, type, std::strtof);
    default:
      return node.text;
  }
}

}  // namespace weir::app
