#include "config/json_schema.h"

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/keys.h"

namespace weir::config {
namespace {

using Json = nlohmann::json;

// Every $ref of a schema.
void CollectReferences(const Json& schema, std::set<std::string>& references) {
  if (schema.is_object() && schema.contains("$ref")) references.insert(schema["$ref"]);
  if (!schema.is_structured()) return;
  for (const auto& [key, value] : schema.items()) CollectReferences(value, references);
}

TEST(JsonSchemaTest, IsDraft07AndReferencesResolve) {
  for (const std::string& text : {PipelineJsonSchema(), ContractJsonSchema()}) {
    const Json schema = Json::parse(text);
    EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    std::set<std::string> references;
    CollectReferences(schema, references);
    EXPECT_GT(references.size(), 5U);
    for (const std::string& reference : references) {
      ASSERT_EQ(reference.rfind("#/definitions/", 0), 0U) << reference;
      EXPECT_TRUE(schema.contains(Json::json_pointer(reference.substr(1)))) << reference;
    }
  }
}

TEST(JsonSchemaTest, HoldsTheKeysOfTheDescriptors) {
  const Json definitions = Json::parse(PipelineJsonSchema())["definitions"];
  for (const MappingDescriptor* mapping : AllMappings()) {
    const Json& definition = definitions[std::string(mapping->name)];
    EXPECT_EQ(definition["additionalProperties"], false) << mapping->name;
    EXPECT_EQ(definition["properties"].size(), AllowedKeys(*mapping).size()) << mapping->name;
    for (const KeyDescriptor& key : mapping->keys) {
      const bool there = definition["properties"].contains(std::string(key.key));
      EXPECT_EQ(there, key.kind != ValueKind::kLater) << mapping->name << "." << key.key;
    }
  }
  EXPECT_EQ(definitions["pipeline"]["required"],
            Json({"pipeline", "source", "state", "contract", "lake", "tables"}));
}

TEST(JsonSchemaTest, DefaultsHaveTheirOwnTypes) {
  const Json definitions = Json::parse(PipelineJsonSchema())["definitions"];
  EXPECT_EQ(definitions["epoch"]["properties"]["every"]["default"], "1s");
  EXPECT_EQ(definitions["epoch"]["properties"]["max_rows"]["default"], 2'000'000);
  EXPECT_EQ(definitions["table"]["properties"]["coordinates"]["default"], true);
}

}  // namespace
}  // namespace weir::config
