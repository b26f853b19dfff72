#include "delta/schema_json.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/json_document.h"
#include "connect/named_id.h"

namespace weir::delta {
namespace {

struct Primitive {
  std::string_view name;
  TypeKind kind;
  bool zoned;
};

constexpr std::array<Primitive, 10> kPrimitives = {{
    {"boolean", TypeKind::kBoolean, true},
    {"integer", TypeKind::kInt, true},
    {"long", TypeKind::kLong, true},
    {"float", TypeKind::kFloat, true},
    {"double", TypeKind::kDouble, true},
    {"date", TypeKind::kDate, true},
    {"timestamp", TypeKind::kTimestamp, true},
    {"timestamp_ntz", TypeKind::kTimestamp, false},
    {"string", TypeKind::kString, true},
    {"binary", TypeKind::kBinary, true},
}};

// Metadata of fields that a writer may not pass over.
constexpr std::array<const char*, 4> kDemands = {"delta.invariants", "delta.generationExpression",
                                                 "delta.identity.start", "CURRENT_DEFAULT"};

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
  if (name == "decimal") return Type::Decimal(10, 0);
  if (std::sscanf(name.c_str(), "decimal( %9d , %9d %c", &precision, &scale, &close) == 3 &&
      close == ')' && precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision) {
    return Type::Decimal(precision, scale);
  }
  return std::nullopt;
}

class Reader {
 public:
  Result<ReadSchema> Read(const Json& json) {
    WEIR_ASSIGN_OR_RETURN(out_.schema.fields, Fields(json, ""));
    return std::move(out_);
  }

 private:
  Result<std::vector<Field>> Fields(const Json& json, const std::string& path) {
    const Json* list = Find(json, "fields");
    if (list == nullptr || !list->is_array()) {
      return Corrupt("a struct has no fields", ErrorCode::kMetadataCorrupt);
    }
    std::vector<Field> fields;
    for (const Json& item : *list) {
      Field field;
      WEIR_ASSIGN_OR_RETURN(field.name, TextAt(item, "name"));
      field.required = !FindFlag(item, "nullable", true);
      const std::string name = path.empty() ? field.name : path + "." + field.name;
      NoteMetadata(item, name, field);
      WEIR_ASSIGN_OR_RETURN(std::optional<Type> type, TypeAt(item, "type", name));
      if (!type && field.required) {
        return Unsupported(
            fmt::format("column {} is not nullable and of type {}, which Weir does not write", name,
                        DumpJson(item.at("type"))),
            ErrorCode::kTableUnsupported);
      }
      if (!type) {
        out_.left_out.push_back(name);
        continue;
      }
      field.id = FreshId(name);
      field.type = *std::move(type);
      fields.push_back(std::move(field));
    }
    return fields;
  }

  void NoteMetadata(const Json& item, const std::string& name, Field& field) {
    const Json* metadata = Find(item, "metadata");
    if (metadata == nullptr) return;
    field.doc = FindText(*metadata, "comment").value_or("");
    for (const char* key : kDemands) {
      if (Find(*metadata, key) != nullptr) out_.demands.emplace(key, name);
    }
  }

  Result<std::optional<Type>> TypeAt(const Json& parent, const char* key, const std::string& path) {
    const Json* json = Find(parent, key);
    if (json == nullptr) {
      return Corrupt(fmt::format("column {} has no type", path), ErrorCode::kMetadataCorrupt);
    }
    if (json->is_string()) return PrimitiveOf(json->get_ref<const std::string&>());
    const std::string kind = FindText(*json, "type").value_or("");
    if (kind == "struct") {
      WEIR_ASSIGN_OR_RETURN(std::vector<Field> children, Fields(*json, path));
      if (children.empty()) return std::optional<Type>();  // Parquet has no empty groups
      return std::optional<Type>(Type::Struct(std::move(children)));
    }
    if (kind == "array") return ListOf(*json, path);
    if (kind == "map") return MapOf(*json, path);
    return std::optional<Type>();
  }

  Result<std::optional<Type>> ListOf(const Json& json, const std::string& path) {
    WEIR_ASSIGN_OR_RETURN(std::optional<Type> element,
                          TypeAt(json, "elementType", path + ".element"));
    if (!element) return element;
    Type type = Type::List(*std::move(element), !FindFlag(json, "containsNull", true));
    type.children.at(0).id = FreshId(path + ".element");
    return std::optional<Type>(std::move(type));
  }

  Result<std::optional<Type>> MapOf(const Json& json, const std::string& path) {
    WEIR_ASSIGN_OR_RETURN(std::optional<Type> key, TypeAt(json, "keyType", path + ".key"));
    WEIR_ASSIGN_OR_RETURN(std::optional<Type> value, TypeAt(json, "valueType", path + ".value"));
    if (!key || !value) return std::optional<Type>();
    Type type =
        Type::Map(*std::move(key), *std::move(value), !FindFlag(json, "valueContainsNull", true));
    type.children.at(0).id = FreshId(path + ".key");
    type.children.at(1).id = FreshId(path + ".value");
    return std::optional<Type>(std::move(type));
  }

  // Two paths seldom share a checksum; then the later one takes the next number that is free.
  int FreshId(const std::string& path) {
    std::uint32_t bits = Crc32(path);
    while (!ids_.insert(connect::NamedId(bits)).second) ++bits;
    return connect::NamedId(bits);
  }

  ReadSchema out_;
  std::set<int> ids_;
};

class Writer {
 public:
  Result<Json> Struct(const std::vector<Field>& fields, const std::string& path) {
    Json list = Json::array();
    std::set<std::string> seen;
    for (const Field& field : fields) {
      const std::string name = path.empty() ? field.name : path + "." + field.name;
      WEIR_TRY(CheckName(field.name, name, seen));
      Json item = {{"name", field.name}};
      WEIR_ASSIGN_OR_RETURN(item["type"], TypeOf(field.type, name));
      item["nullable"] = !field.required;
      item["metadata"] = Json::object();
      if (!field.doc.empty()) item["metadata"]["comment"] = field.doc;
      list.push_back(std::move(item));
    }
    return Json{{"type", "struct"}, {"fields", std::move(list)}};
  }

 private:
  // Without column mapping the names are those of the files, where these characters mean something.
  static Status CheckName(const std::string& name, const std::string& path,
                          std::set<std::string>& seen) {
    if (name.empty() || name.find_first_of(" ,;{}()\n\t=") != std::string::npos) {
      return Unsupported(fmt::format("`{}` cannot be the name of a column of a Delta table: no "
                                     "spaces and none of ,;{{}}()=",
                                     path),
                         ErrorCode::kTableUnsupported);
    }
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!seen.insert(lower).second) {
      return Unsupported(fmt::format("two columns are named `{}` where case does not count, as in "
                                     "a Delta table",
                                     path),
                         ErrorCode::kTableUnsupported);
    }
    return Ok();
  }

  Result<Json> TypeOf(const Type& type, const std::string& path) {
    switch (type.kind) {
      case TypeKind::kStruct:
        return Struct(type.children, path);
      case TypeKind::kList: {
        Json out = {{"type", "array"}};
        WEIR_ASSIGN_OR_RETURN(out["elementType"], TypeOf(type.children.at(0).type, path));
        out["containsNull"] = !type.children.at(0).required;
        return out;
      }
      case TypeKind::kMap: {
        Json out = {{"type", "map"}};
        WEIR_ASSIGN_OR_RETURN(out["keyType"], TypeOf(type.children.at(0).type, path));
        WEIR_ASSIGN_OR_RETURN(out["valueType"], TypeOf(type.children.at(1).type, path));
        out["valueContainsNull"] = !type.children.at(1).required;
        return out;
      }
      case TypeKind::kDecimal:
        return Json(fmt::format("decimal({},{})", type.precision, type.scale));
      default:
        break;
    }
    for (const Primitive& primitive : kPrimitives) {
      if (primitive.kind == type.kind && primitive.zoned == type.zoned) {
        return Json(std::string(primitive.name));
      }
    }
    return Unsupported(
        fmt::format("column `{}` is of type {}, which Delta does not have", path, ToString(type)),
        ErrorCode::kTableUnsupported);
  }
};

}  // namespace

Result<ReadSchema> SchemaFromText(std::string_view text) {
  auto json = ParseJson(text);
  if (!json) return WithContext(std::move(json).error(), "the table's schema");
  return Reader().Read(*json);
}

Result<std::string> SchemaToText(const Schema& schema) {
  WEIR_ASSIGN_OR_RETURN(const Json json, Writer().Struct(schema.fields, ""));
  return DumpJson(json);
}

}  // namespace weir::delta
