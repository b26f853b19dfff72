#include "record/type.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weir {

namespace {

int HighestId(const std::vector<Field>& fields) {
  int highest = 0;
  for (const Field& field : fields) {
    highest = std::max({highest, field.id, HighestId(field.type.children)});
  }
  return highest;
}

// Breadth within a level, depth after it: {a: struct<x>, b} gives a=1, b=2, x=3.
void AssignLevel(std::vector<Field>& fields, int& last) {
  for (Field& field : fields) {
    if (field.id == 0) field.id = ++last;
  }
  for (Field& field : fields) AssignLevel(field.type.children, last);
}

std::string JoinFields(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) {
    if (!text.empty()) text += ", ";
    text += field.name + ": " + ToString(field.type);
  }
  return text;
}

}  // namespace

bool Type::operator==(const Type& other) const {
  return kind == other.kind && precision == other.precision && scale == other.scale &&
         (kind != TypeKind::kTimestamp || zoned == other.zoned) && children == other.children;
}

Type Type::Of(TypeKind kind) { return Type{.kind = kind, .children = {}}; }

Type Type::Decimal(int precision, int scale) {
  return Type{.kind = TypeKind::kDecimal, .precision = precision, .scale = scale, .children = {}};
}

Type Type::Struct(std::vector<Field> fields) {
  return Type{.kind = TypeKind::kStruct, .children = std::move(fields)};
}

Type Type::List(Type element, bool element_required) {
  Type list = Of(TypeKind::kList);
  list.children.push_back(Field{
      .name = "element", .type = std::move(element), .required = element_required, .doc = {}});
  return list;
}

Type Type::Map(Type key, Type value, bool value_required) {
  Type map = Of(TypeKind::kMap);
  map.children.push_back(Field{.name = "key", .type = std::move(key), .required = true, .doc = {}});
  map.children.push_back(
      Field{.name = "value", .type = std::move(value), .required = value_required, .doc = {}});
  return map;
}

std::optional<std::size_t> Schema::IndexOf(std::string_view name) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  return std::nullopt;
}

std::string ToString(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return "boolean";
    case TypeKind::kInt:
      return "int";
    case TypeKind::kLong:
      return "long";
    case TypeKind::kFloat:
      return "float";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kDecimal:
      return "decimal(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTimestamp:
      return type.zoned ? "timestamp" : "timestamp without zone";
    case TypeKind::kString:
      return "string";
    case TypeKind::kUuid:
      return "uuid";
    case TypeKind::kBinary:
      return "binary";
    case TypeKind::kStruct:
      return "struct<" + JoinFields(type.children) + ">";
    case TypeKind::kList:
      WEIR_CHECK(type.children.size() == 1);
      return "list<" + ToString(type.children[0].type) + ">";
    case TypeKind::kMap:
      WEIR_CHECK(type.children.size() == 2);
      return "map<" + ToString(type.children[0].type) + ", " + ToString(type.children[1].type) +
             ">";
  }
  WEIR_CHECK(false);
  return {};
}

int AssignFieldIds(Schema& schema, int highest_in_use) {
  int last = std::max(highest_in_use, HighestId(schema.fields));
  AssignLevel(schema.fields, last);
  return last;
}

std::string DecimalToString(Int128 unscaled, int scale) {
  const bool negative = unscaled < 0;
  UInt128 rest = static_cast<UInt128>(unscaled);
  if (negative) rest = ~rest + 1;
  std::string reversed;
  for (int digits = 0; rest != 0 || digits <= scale; ++digits) {
    if (digits == scale && scale != 0) reversed += '.';
    reversed += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  if (negative) reversed += '-';
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

}  // namespace weir
