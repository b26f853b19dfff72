#include <algorithm>

#include <nlohmann/json.hpp>

#include "config/contract_json.h"
#include "record/contract_words.h"

namespace weir::config {
namespace {

using Json = nlohmann::ordered_json;

// A JSON number where the text is one that a reader takes as the same number, else nothing.
Json NumberOf(const Bound& bound) {
  Json number = Json::parse(bound.text, nullptr, /*allow_exceptions=*/false);
  return number.is_number() ? number : Json();
}

Json ObjectOf(const std::vector<Field>& fields);

// "multipleOf" of a decimal: 0.01 of scale 2.
double Step(int scale) {
  double step = 1;
  for (int i = 0; i < scale; ++i) step /= 10;
  return step;
}

Json TypeOf(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return {{"type", "boolean"}};
    case TypeKind::kInt:
      return {{"type", "integer"}, {"minimum", INT32_MIN}, {"maximum", INT32_MAX}};
    case TypeKind::kLong:
      return {{"type", "integer"}};
    case TypeKind::kFloat:
    case TypeKind::kDouble:
      return {{"type", "number"}};
    case TypeKind::kDecimal:
      return {{"type", Json::array({"number", "string"})},
              {"multipleOf", Step(type.scale)},
              {"x-weir", {{"type", weir::ToString(type)}}}};
    case TypeKind::kDate:
      return {{"type", "string"}, {"format", "date"}};
    case TypeKind::kTimestamp:
      return {{"type", "string"}, {"format", "date-time"}};
    case TypeKind::kUuid:
      return {{"type", "string"}, {"format", "uuid"}};
    case TypeKind::kString:
    case TypeKind::kBinary:
      return {{"type", "string"}};
    case TypeKind::kStruct:
      return ObjectOf(type.children);
    case TypeKind::kList:
      return {{"type", "array"}, {"items", TypeOf(type.children[0].type)}};
    case TypeKind::kMap:
      return {{"type", "object"}, {"additionalProperties", TypeOf(type.children[1].type)}};
  }
  return Json::object();
}

// null is the same as absent, so an optional field takes it.
void AllowNull(Json& schema) {
  Json& type = schema["type"];
  if (type.is_string()) type = Json::array({type});
  type.push_back("null");
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
}

Json ObjectOf(const std::vector<Field>& fields) {
  Json object = {{"type", "object"}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const Field& field : fields) {
    Json schema = TypeOf(field.type);
    if (!field.doc.empty()) schema["description"] = field.doc;
    if (field.required) {
      required.push_back(field.name);
    } else {
      AllowNull(schema);
    }
    object["properties"][field.name] = std::move(schema);
  }
  if (!required.empty()) object["required"] = std::move(required);
  return object;
}

Json FieldSchema(const ContractField& field) {
  Json schema = TypeOf(field.field.type);
  Json own = schema.contains("x-weir") ? schema["x-weir"] : Json::object();
  if (field.timestamp_format != TimestampFormat::kIso) {
    schema = {{"type", Json::array({"integer", "string"})}};
    own["format"] = ToString(field.timestamp_format);
    own["type"] = "timestamp";
  }
  if (!field.field.doc.empty()) schema["description"] = field.field.doc;
  if (!field.allowed.empty()) schema["enum"] = field.allowed;
  if (field.not_blank) {
    own["not_blank"] = true;
    schema["minLength"] = 1;
  }
  if (!field.pattern.empty()) schema["pattern"] = "^(?:" + field.pattern + ")$";
  if (field.assume_utc) own["assume_utc"] = true;
  const auto bound = [&](const std::optional<Bound>& given, const char* word, const char* name) {
    if (!given) return;
    if (Json number = NumberOf(*given); !number.is_null()) schema[word] = std::move(number);
    own[name] = given->text;
  };
  bound(field.min, "minimum", "min");
  bound(field.max, "maximum", "max");
  schema.erase("x-weir");
  if (!own.empty()) schema["x-weir"] = std::move(own);
  if (!field.field.required) AllowNull(schema);
  return schema;
}

// An event of one type needs fields: if the type is this, then they are there.
Json RuleSchema(const Contract& contract, const EventTypeRule& rule) {
  Json properties = Json::object();
  properties[contract.event_type_field] = {{"const", rule.event_type}};
  Json needs = Json::object();
  for (const std::string& need : rule.needs) needs[need] = {{"not", {{"type", "null"}}}};
  return {
      {"if", {{"properties", properties}, {"required", Json::array({contract.event_type_field})}}},
      {"then", {{"required", rule.needs}, {"properties", needs}}}};
}

}  // namespace

std::string ContractToJsonSchema(const Contract& contract) {
  Json own = {{"version", contract.version}};
  if (!contract.event_time_field.empty()) own["event_time"] = contract.event_time_field;
  if (!contract.event_type_field.empty()) own["event_type"] = contract.event_type_field;
  Json root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"type", "object"}};
  if (!contract.name.empty()) root["title"] = contract.name;
  root["properties"] = Json::object();
  Json required = Json::array();
  Json order = Json::array();
  for (const ContractField& field : contract.fields) {
    order.push_back(field.field.name);
    if (field.from_ingestion) {
      own["ingestion"] = field.field.name;
      if (!field.field.doc.empty()) own["ingestion_doc"] = field.field.doc;
      continue;
    }
    if (field.field.required) required.push_back(field.field.name);
    root["properties"][field.field.name] = FieldSchema(field);
  }
  if (!required.empty()) root["required"] = std::move(required);
  Json rules = Json::array();
  Json types = Json::array();
  for (const EventTypeRule& rule : contract.event_types) {
    types.push_back(rule.event_type);
    if (!rule.needs.empty()) rules.push_back(RuleSchema(contract, rule));
  }
  if (!rules.empty()) root["allOf"] = std::move(rules);
  if (!types.empty()) own["event_types"] = std::move(types);
  root["additionalProperties"] = contract.unknown_fields != UnknownFields::kReject;
  if (contract.unknown_fields == UnknownFields::kKeep)
    own["unknown_fields"] = ToString(UnknownFields::kKeep);
  if (contract.unknown_column != Contract().unknown_column) {
    own["unknown_column"] = contract.unknown_column;
  }
  if (own.contains("ingestion")) own["order"] = std::move(order);
  root["x-weir"] = std::move(own);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weir::config
