#include "iceberg/schema_change.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "iceberg/schema_json.h"
#include "record/contract_diff.h"

namespace weir::iceberg {
namespace {

using Path = std::span<const std::string>;

Error DoesNotFit(std::string message) {
  return InvalidInput(std::move(message), ErrorCode::kTableMismatch);
}

std::string TextOf(Path path) { return "`" + connect::PathText(path) + "`"; }

std::string Folded(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// Where the type of a place stands: the "type" of a field, the "element" of a list, the "value" of
// a map.
struct Place {
  Json* parent = nullptr;
  std::string key;
  Json& type() const { return (*parent)[key]; }
};

Json* FieldNamed(Json& fields, const std::string& name) {
  for (Json& field : fields) {
    if (FindText(field, "name") == name) return &field;
  }
  return nullptr;
}

// The place below a type; kInvalidInput where there is none.
Result<Place> Below(Json& type, const std::string& name, Path path) {
  const std::string kind = type.is_object() ? FindText(type, "type").value_or("") : "";
  if (kind == "struct" && type["fields"].is_array()) {
    if (Json* field = FieldNamed(type["fields"], name)) return Place{field, "type"};
  }
  const bool item = (kind == "list" && name == "element") ||
                    (kind == "map" && (name == "key" || name == "value"));
  if (item && type.contains(name)) return Place{&type, name};
  return DoesNotFit(TextOf(path) + " is not in the table");
}

Result<Json*> TypeAt(Json& schema, Path path) {
  Json* type = &schema;
  for (const std::string& name : path) {
    WEIR_ASSIGN_OR_RETURN(const Place place, Below(*type, name, path));
    type = &place.type();
  }
  return type;
}

Status Add(const connect::SchemaChange::Added& added, Json& schema, std::int64_t& highest_field) {
  std::vector<std::string> path = added.parent;
  path.push_back(added.field.name);
  if (added.field.required) {
    return DoesNotFit(TextOf(path) + " is required: rows that exist have no value for it");
  }
  WEIR_ASSIGN_OR_RETURN(Json * parent, TypeAt(schema, added.parent));
  if (!parent->is_object() || FindText(*parent, "type") != "struct" ||
      !(*parent)["fields"].is_array()) {
    return DoesNotFit(TextOf(added.parent) + " is no struct, so " + TextOf(path) +
                      " cannot be added");
  }
  Json& fields = (*parent)["fields"];
  for (const Json& field : fields) {
    if (Folded(FindText(field, "name").value_or("")) != Folded(added.field.name)) continue;
    return DoesNotFit(TextOf(path) + " is in the table already, with another type or spelling");
  }
  Schema alone{.fields = {added.field}};
  highest_field = AssignFieldIds(alone, static_cast<int>(highest_field));
  fields.push_back(SchemaToJson(alone, 0)["fields"][0]);
  return Ok();
}

Status Widen(const connect::SchemaChange::Widened& widened, Json& schema) {
  WEIR_ASSIGN_OR_RETURN(Json * type, TypeAt(schema, widened.path));
  const std::string name = PrimitiveName(widened.type);
  if (*type == name) return Ok();
  Json probe = {{"fields", Json::array({{{"id", 1}, {"name", "a"}, {"required", true}}})}};
  probe["fields"][0]["type"] = *type;
  const auto before = SchemaFromJson(probe);
  if (!before || !IsWidening(before->schema.fields[0].type, widened.type)) {
    return DoesNotFit(fmt::format("{} is {} in the table, which does not widen to {}",
                                  TextOf(widened.path), DumpJson(*type), name));
  }
  *type = name;
  return Ok();
}

}  // namespace

Status CheckSchemaChange(const TableMetadata& metadata, const connect::SchemaChange& change) {
  for (const auto& widened : change.widened) {
    if (widened.path.size() != 1) continue;
    const auto index = metadata.schema.IndexOf(widened.path[0]);
    if (!index) continue;
    const int id = metadata.schema.fields[*index].id;
    for (const auto& [spec_id, spec] : metadata.specs) {
      const bool used =
          std::any_of(spec.fields.begin(), spec.fields.end(), [id](const auto& field) {
            return field.source_id == id && field.transform != connect::Transform::kVoid;
          });
      if (!used) continue;
      return Unsupported(fmt::format("{} partitions the table (spec {}): its type stays",
                                     TextOf(widened.path), spec_id),
                         ErrorCode::kTableUnsupported);
    }
  }
  return Ok();
}

Status ChangeSchemaJson(const connect::SchemaChange& change, Json& schema,
                        std::int64_t& highest_field) {
  for (const auto& widened : change.widened) WEIR_TRY(Widen(widened, schema));
  for (const auto& added : change.added) WEIR_TRY(Add(added, schema, highest_field));
  return Ok();
}

std::int64_t HighestFieldId(const Json& schema) {
  std::int64_t highest = 0;
  for (const char* key : {"id", "element-id", "key-id", "value-id"}) {
    highest = std::max(highest, FindLong(schema, key).value_or(0));
  }
  for (const char* key : {"type", "element", "key", "value"}) {
    const Json* below = Find(schema, key);
    if (below != nullptr && below->is_object()) highest = std::max(highest, HighestFieldId(*below));
  }
  const Json* fields = Find(schema, "fields");
  if (fields == nullptr || !fields->is_array()) return highest;
  for (const Json& field : *fields) highest = std::max(highest, HighestFieldId(field));
  return highest;
}

}  // namespace weir::iceberg
