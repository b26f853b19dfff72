#include "config/json_schema.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "config/kafka_options.h"
#include "config/keys.h"
#include "config/quantity.h"

namespace weir::config {
namespace {

using Json = nlohmann::ordered_json;

Json Variable() { return {{"type", "string"}, {"pattern", "\\$\\{"}}; }

Json Scalar() { return {{"type", {"string", "number", "boolean"}}}; }

Json Reference(const MappingDescriptor& mapping) {
  return {{"$ref", "#/definitions/" + std::string(mapping.name)}};
}

// The value or a variable in its place.
Json OrVariable(Json schema) { return {{"anyOf", {std::move(schema), Variable()}}}; }

Json CountSchema(const KeyDescriptor& key) {
  Json number = {{"type", "integer"}, {"minimum", key.min}};
  if (key.max != std::numeric_limits<std::int64_t>::max()) number["maximum"] = key.max;
  const Json grouped = {{"type", "string"}, {"pattern", "^-?[0-9]+(_[0-9]+)*$"}};
  return {{"anyOf", {std::move(number), grouped, Variable()}}};
}

Json NamedSchema(const KeyDescriptor& key) {
  Json value = {{"anyOf", {Reference(*key.mapping), {{"type", "null"}}}}};
  if (!key.shorthand.empty()) value["anyOf"].push_back({{"type", "string"}});
  return {{"type", "object"}, {"additionalProperties", std::move(value)}};
}

Json ValueSchema(const KeyDescriptor& key) {
  switch (key.kind) {
    case ValueKind::kText:
      return {{"type", {"string", "number"}}};
    case ValueKind::kChoice: {
      Json choices = Json::array();
      for (std::string_view choice : Choices(key.choices)) choices.push_back(choice);
      return OrVariable({{"enum", std::move(choices)}});
    }
    case ValueKind::kBoolean:
      return OrVariable({{"type", "boolean"}});
    case ValueKind::kCount:
      return CountSchema(key);
    case ValueKind::kDuration:
      return OrVariable({{"type", "string"}, {"pattern", "^[0-9]+(ms|s|m|h|d)$"}});
    case ValueKind::kSize:
      return OrVariable({{"type", "string"}, {"pattern", "^[0-9]+([KMGT]i)?B$"}});
    case ValueKind::kPath:
    case ValueKind::kLocation:
      return {{"type", "string"}};
    case ValueKind::kTexts:
      return {{"anyOf", {{{"type", "array"}, {"items", Scalar()}}, Scalar()}}};
    case ValueKind::kTextMap:
      return {{"type", "object"}, {"additionalProperties", Scalar()}};
    case ValueKind::kMapping:
      if (key.shorthand.empty()) return {{"allOf", Json::array({Reference(*key.mapping)})}};
      return {{"anyOf", {Reference(*key.mapping), {{"type", "string"}}}}};
    case ValueKind::kNamed:
      return NamedSchema(key);
    case ValueKind::kLater:
      break;
  }
  WEIR_CHECK(false);  // keys of later versions have no schema
}

// A default in its own JSON type.
Json Default(const KeyDescriptor& key) {
  if (key.kind == ValueKind::kBoolean) return key.fallback == "true";
  if (key.kind == ValueKind::kCount) return ParseCount(key.fallback).value();
  return key.fallback;
}

Json Definition(const MappingDescriptor& mapping) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const KeyDescriptor& key : mapping.keys) {
    if (key.kind == ValueKind::kLater) continue;
    Json schema = ValueSchema(key);
    schema["description"] = key.doc;
    if (!key.fallback.empty()) schema["default"] = Default(key);
    if (&mapping == &kKafkaKeys && key.key == "options") {
      Json names = Json::array();
      for (const KafkaOption& option : KafkaOptions()) names.push_back(option.name);
      schema["propertyNames"] = {{"enum", std::move(names)}};
    }
    properties[std::string(key.key)] = std::move(schema);
    if (key.required) required.push_back(key.key);
  }
  Json definition = {{"type", "object"},
                     {"description", mapping.doc},
                     {"properties", std::move(properties)},
                     {"additionalProperties", false}};
  if (!required.empty()) definition["required"] = std::move(required);
  return definition;
}

std::string Schema(const MappingDescriptor& root) {
  Json definitions = Json::object();
  for (const MappingDescriptor* mapping : AllMappings()) {
    definitions[std::string(mapping->name)] = Definition(*mapping);
  }
  const Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                       {"title", "Weir: " + std::string(root.title)},
                       {"$ref", "#/definitions/" + std::string(root.name)},
                       {"definitions", std::move(definitions)}};
  return schema.dump(2) + "\n";
}

}  // namespace

std::string PipelineJsonSchema() { return Schema(kPipelineKeys); }

std::string ContractJsonSchema() { return Schema(kContractKeys); }

}  // namespace weir::config
