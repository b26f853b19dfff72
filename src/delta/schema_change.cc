#include "delta/schema_change.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_document.h"
#include "base/random.h"
#include "delta/layout.h"
#include "delta/protocol_check.h"
#include "delta/schema_json.h"

namespace weir::delta {
namespace {

using Path = std::span<const std::string>;

Error DoesNotFit(std::string message) {
  return InvalidInput(std::move(message), ErrorCode::kTableMismatch);
}

std::string TextOf(Path path) { return "`" + connect::PathText(path) + "`"; }

// Column names that differ in case alone are one to every reader.
bool IsSameName(std::string_view one, std::string_view other) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(one, other, {}, lower, lower);
}

bool IsKind(const Json& type, std::string_view kind) {
  return type.is_object() && FindText(type, "type") == kind;
}

// The type below a type; nullptr where there is none of that name.
Json* Below(Json& type, const std::string& name) {
  if (IsKind(type, "struct") && type["fields"].is_array()) {
    for (Json& field : type["fields"]) {
      if (FindText(field, "name") == name && field.contains("type")) return &field["type"];
    }
  }
  const char* key = nullptr;
  if (IsKind(type, "array") && name == "element") key = "elementType";
  if (IsKind(type, "map") && name == "key") key = "keyType";
  if (IsKind(type, "map") && name == "value") key = "valueType";
  return key != nullptr && type.contains(key) ? &type[key] : nullptr;
}

Result<Json*> StructAt(Json& schema, Path path) {
  Json* type = &schema;
  for (const std::string& name : path) {
    type = Below(*type, name);
    if (type == nullptr) return DoesNotFit(TextOf(path) + " is not in the table");
  }
  if (IsKind(*type, "struct") && (*type)["fields"].is_array()) return type;
  return DoesNotFit(TextOf(path) + " is no struct, so nothing can be added to it");
}

// Adds the column and returns it as it stands in the schema.
Result<Json> Add(const connect::SchemaChange::Added& added, Json& schema) {
  std::vector<std::string> path = added.parent;
  path.push_back(added.field.name);
  if (added.field.required) {
    return DoesNotFit(TextOf(path) + " is required: rows that exist have no value for it");
  }
  WEIR_ASSIGN_OR_RETURN(Json * parent, StructAt(schema, added.parent));
  Json& fields = (*parent)["fields"];
  for (const Json& field : fields) {
    if (!IsSameName(FindText(field, "name").value_or(""), added.field.name)) continue;
    return DoesNotFit(TextOf(path) + " is in the table already, with another type or spelling");
  }
  WEIR_ASSIGN_OR_RETURN(const std::string text, SchemaToText({.fields = {added.field}}));
  WEIR_ASSIGN_OR_RETURN(const Json alone, ParseJson(text));
  fields.push_back(alone["fields"][0]);
  return fields.back();
}

Error NotWidened(const connect::SchemaChange::Widened& widened) {
  return WithRemedy(
      Unsupported(fmt::format("{} cannot become {}: a Delta table keeps the types of its columns, "
                              "unless it has the feature typeWidening, which Weir does not write",
                              TextOf(widened.path), ToString(widened.type)),
                  ErrorCode::kTableUnsupported),
      "keep the type, and add an optional field of the wider type under another name; or write to "
      "a new table");
}

// The features that the columns ask for, as far as the table does not have them.
Status CheckFeatures(const Protocol& protocol, const Schema& added) {
  for (const std::string& feature : ProtocolFor(added).reader_features) {
    if (std::ranges::count(protocol.reader_features, feature) > 0) continue;
    return WithRemedy(
        Unsupported(fmt::format("a new column needs the feature {}, which the table does not have",
                                feature),
                    ErrorCode::kTableUnsupported),
        fmt::format("give the field a time zone; or set the table property delta.feature.{} = "
                    "supported by another engine",
                    feature));
  }
  return Ok();
}

}  // namespace

Result<LogCommit> ChangeColumns(const Head& head, const connect::SchemaChange& change,
                                std::int64_t now_ms) {
  if (!change.widened.empty()) return NotWidened(change.widened.front());
  WEIR_ASSIGN_OR_RETURN(Json schema, ParseJson(head.metadata->schema_text));
  Json columns = Json::array();
  Schema added;
  for (const auto& one : change.added) {
    WEIR_ASSIGN_OR_RETURN(Json column, Add(one, schema));
    Json entry = {{"column", std::move(column)}};
    if (!one.parent.empty()) entry["parent"] = connect::PathText(one.parent);
    columns.push_back(std::move(entry));
    added.fields.push_back(one.field);
  }
  WEIR_TRY(CheckFeatures(head.protocol, added));
  LogCommit out;
  out.metadata = *head.metadata;
  out.metadata->schema_text = DumpJson(schema);
  WEIR_ASSIGN_OR_RETURN(const auto layout, LayoutOf(*out.metadata));
  WEIR_TRY(CheckWritable(head.protocol, *out.metadata, *layout));
  out.info = CommitInfo{.time_ms = now_ms,
                        .operation = "ADD COLUMNS",
                        .parameters = {{"columns", DumpJson(columns)}},
                        .metrics = {},
                        .tags = {},
                        .engine = "weir",
                        .attempt = NewUuid(),
                        .blind_append = false};
  return out;
}

}  // namespace weir::delta
