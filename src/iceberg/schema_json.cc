#include "iceberg/schema_json.h"

#include <array>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weir::iceberg {
namespace {

struct Primitive {
  std::string_view name;
  TypeKind kind;
  bool zoned;
};

constexpr std::array<Primitive, 11> kPrimitives = {{
    {"boolean", TypeKind::kBoolean, true},
    {"int", TypeKind::kInt, true},
    {"long", TypeKind::kLong, true},
    {"float", TypeKind::kFloat, true},
    {"double", TypeKind::kDouble, true},
    {"date", TypeKind::kDate, true},
    {"timestamptz", TypeKind::kTimestamp, true},
    {"timestamp", TypeKind::kTimestamp, false},
    {"string", TypeKind::kString, true},
    {"uuid", TypeKind::kUuid, true},
    {"binary", TypeKind::kBinary, true},
}};

// nullopt: a type that Weir does not have.
std::optional<Type> PrimitiveOf(const std::string& name) {
  for (const Primitive& primitive : kPrimitives) {
    if (primitive.name != name) continue;
    Type type = Type::Of(primitive.kind);
    type.zoned = primitive.zoned;
    return type;
  }
  int precision = 0;
  int scale = 0;
  char close = '\0';
  if (std::sscanf(name.c_str(), "decimal( %d , %d %c", &precision, &scale, &close) == 3 &&
      close == ')' && precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision) {
    return Type::Decimal(precision, scale);
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::vector<std::string>& left_out) : left_out_(left_out) {}

  Result<std::vector<Field>> Fields(const Json& json, const std::string& path) {
    std::vector<Field> fields;
    for (const Json& item : json) {
      Field field;
      WEIR_ASSIGN_OR_RETURN(field.id, IntAt(item, "id"));
      WEIR_ASSIGN_OR_RETURN(field.name, TextAt(item, "name"));
      field.required = FindFlag(item, "required", false);
      field.doc = FindText(item, "doc").value_or("");
      const std::string name = path.empty() ? field.name : path + "." + field.name;
      WEIR_ASSIGN_OR_RETURN(std::optional<Type> type, TypeOf(item, "type", name));
      if (!type && field.required) {
        return Unsupported(
            fmt::format("column {} is required and of type {}, which Weir does not write", name,
                        item.at("type").is_string() ? FindText(item, "type").value_or("")
                                                    : DumpJson(item.at("type"))),
            ErrorCode::kTableUnsupported);
      }
      if (!type) {
        left_out_.push_back(name);
        continue;
      }
      field.type = *std::move(type);
      fields.push_back(std::move(field));
    }
    return fields;
  }

 private:
  Result<std::optional<Type>> TypeOf(const Json& parent, const char* key, const std::string& path) {
    const Json* json = Find(parent, key);
    if (json == nullptr) return Corrupt(fmt::format("column {} has no type", path));
    if (json->is_string()) return PrimitiveOf(json->get_ref<const std::string&>());
    WEIR_ASSIGN_OR_RETURN(const std::string kind, TextAt(*json, "type"));
    if (kind == "struct") return StructOf(*json, path);
    if (kind == "list") return ListOf(*json, path);
    if (kind == "map") return MapOf(*json, path);
    return std::optional<Type>();
  }

  Result<std::optional<Type>> StructOf(const Json& json, const std::string& path) {
    WEIR_ASSIGN_OR_RETURN(const Json* fields, ArrayAt(json, "fields"));
    WEIR_ASSIGN_OR_RETURN(std::vector<Field> children, Fields(*fields, path));
    if (children.empty()) return std::optional<Type>();  // Parquet has no empty groups
    return std::optional<Type>(Type::Struct(std::move(children)));
  }

  Result<std::optional<Type>> ListOf(const Json& json, const std::string& path) {
    WEIR_ASSIGN_OR_RETURN(std::optional<Type> element, TypeOf(json, "element", path + ".element"));
    if (!element) return element;
    Type type = Type::List(*std::move(element), FindFlag(json, "element-required", false));
    WEIR_ASSIGN_OR_RETURN(type.children.at(0).id, IntAt(json, "element-id"));
    return std::optional<Type>(std::move(type));
  }

  Result<std::optional<Type>> MapOf(const Json& json, const std::string& path) {
    WEIR_ASSIGN_OR_RETURN(std::optional<Type> key, TypeOf(json, "key", path + ".key"));
    WEIR_ASSIGN_OR_RETURN(std::optional<Type> value, TypeOf(json, "value", path + ".value"));
    if (!key || !value) return std::optional<Type>();
    Type type =
        Type::Map(*std::move(key), *std::move(value), FindFlag(json, "value-required", false));
    WEIR_ASSIGN_OR_RETURN(type.children.at(0).id, IntAt(json, "key-id"));
    WEIR_ASSIGN_OR_RETURN(type.children.at(1).id, IntAt(json, "value-id"));
    return std::optional<Type>(std::move(type));
  }

  std::vector<std::string>& left_out_;
};

Json TypeToJson(const Type& type);

Json FieldsToJson(const std::vector<Field>& fields) {
  Json out = Json::array();
  for (const Field& field : fields) {
    Json item = {{"id", field.id}, {"name", field.name}, {"required", field.required}};
    item["type"] = TypeToJson(field.type);
    if (!field.doc.empty()) item["doc"] = field.doc;
    out.push_back(std::move(item));
  }
  return out;
}

Json TypeToJson(const Type& type) {
  switch (type.kind) {
    case TypeKind::kStruct:
      return {{"type", "struct"}, {"fields", FieldsToJson(type.children)}};
    case TypeKind::kList: {
      const Field& element = type.children.at(0);
      return {{"type", "list"},
              {"element-id", element.id},
              {"element", TypeToJson(element.type)},
              {"element-required", element.required}};
    }
    case TypeKind::kMap: {
      const Field& key = type.children.at(0);
      const Field& value = type.children.at(1);
      return {{"type", "map"},
              {"key-id", key.id},
              {"key", TypeToJson(key.type)},
              {"value-id", value.id},
              {"value", TypeToJson(value.type)},
              {"value-required", value.required}};
    }
    default:
      return PrimitiveName(type);
  }
}

}  // namespace

Result<ReadSchema> SchemaFromJson(const Json& json) {
  ReadSchema read;
  WEIR_ASSIGN_OR_RETURN(const Json* fields, ArrayAt(json, "fields"));
  WEIR_ASSIGN_OR_RETURN(read.schema.fields, Reader(read.left_out).Fields(*fields, ""));
  return read;
}

Json SchemaToJson(const Schema& schema, int schema_id) {
  return {{"type", "struct"}, {"schema-id", schema_id}, {"fields", FieldsToJson(schema.fields)}};
}

std::string PrimitiveName(const Type& type) {
  if (type.kind == TypeKind::kDecimal) {
    return fmt::format("decimal({}, {})", type.precision, type.scale);
  }
  for (const Primitive& primitive : kPrimitives) {
    const bool zone_fits = type.kind != TypeKind::kTimestamp || primitive.zoned == type.zoned;
    if (primitive.kind == type.kind && zone_fits) return std::string(primitive.name);
  }
  return "unknown";
}

}  // namespace weir::iceberg
