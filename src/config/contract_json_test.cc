#include "config/contract_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/contract_file.h"
#include "config/contract_writer.h"
#include "config/project_files.h"

namespace weir::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

ImportedContract Import(const std::string& text) {
  auto imported = ContractFromJsonSchema(text);
  EXPECT_TRUE(imported) << imported.error().ToString();
  return imported ? std::move(imported).value() : ImportedContract();
}

TEST(ContractJson, TheExamplesComeBackEqual) {
  for (const char* file : {"examples/retail/retail_event.yaml",
                           "examples/medallion/shop_event.yaml", "examples/windows/event.yaml"}) {
    const auto loaded = LoadContract(ProjectPath(file), ProcessEnvironment());
    ASSERT_TRUE(loaded.contract) << loaded.diagnostics.ToText(false);
    const std::string schema = ContractToJsonSchema(*loaded.contract);
    const ImportedContract back = Import(schema);
    EXPECT_EQ(ContractText(back.contract), ContractText(*loaded.contract)) << schema;
    EXPECT_EQ(ContractHash(back.contract), ContractHash(*loaded.contract)) << file;
  }
}

TEST(ContractJson, ReadsWhatOthersWrite) {
  const ImportedContract imported = Import(R"json({
    "$schema": "http://json-schema.org/draft-07/schema#", "title": "order", "type": "object",
    "definitions": {"money": {"type": "number", "multipleOf": 0.01, "minimum": 0}},
    "properties": {
      "id": {"type": "string", "format": "uuid"},
      "at": {"type": "string", "format": "date-time"},
      "kind": {"enum": ["sale", "refund"]},
      "note": {"type": ["string", "null"], "pattern": "[0-9]"},
      "price": {"$ref": "#/definitions/money"},
      "count": {"type": "integer", "minimum": 1, "maximum": 99},
      "tags": {"type": "array", "items": {"type": "string"}},
      "extra": {"type": "object", "additionalProperties": {"type": "integer"}},
      "device": {"anyOf": [{"type": "null"}, {"type": "object", "required": ["os"],
        "properties": {"os": {"type": "string"}, "v": {"type": "number"}}}]}},
    "required": ["id", "at", "note"], "additionalProperties": false,
    "allOf": [{"if": {"properties": {"kind": {"const": "sale"}}}, "then": {"required": ["price"]}}]
  })json");
  std::vector<std::string> fields;
  for (const ContractField& field : imported.contract.fields) {
    fields.push_back(field.field.name + " " + weir::ToString(field.field.type) +
                     (field.field.required ? " required" : ""));
  }
  EXPECT_THAT(fields,
              ElementsAre("id uuid required", "at timestamp required", "kind string", "note string",
                          "price decimal(19,2)", "count int", "tags list<string>",
                          "extra map<string, long>", HasSubstr("device struct<os: string")));
  EXPECT_EQ(imported.contract.unknown_fields, UnknownFields::kReject);
  EXPECT_EQ(imported.contract.fields[3].pattern, "(?s:.*)(?:[0-9])(?s:.*)");
  ASSERT_EQ(imported.contract.event_types.size(), 2U);
  EXPECT_THAT(imported.contract.event_types[0].needs, ElementsAre("price"));
  EXPECT_THAT(imported.notes, Contains(HasSubstr("note: required but may be null")));
}

TEST(ContractJson, RefusesWhatNoTableCanHold) {
  for (const char* bad : {
           "",
           "[]",
           "{}",
           R"({"type":"object","properties":{}})",
           R"({"properties":{"a":{}}})",
           R"({"properties":{"a":{"type":["string","integer"]}}})",
           R"({"properties":{"a":{"$ref":"http://elsewhere/x.json"}}})",
           R"({"properties":{"a":{"$ref":"#/nowhere"}}})",
           R"({"properties":{"a":{"$ref":"#/properties/a"}}})",
           R"({"properties":{"a":{"type":"object","properties":{"b":{"$ref":"#/properties/a"}}}}})",
           R"({"properties":{"a":{"oneOf":[{"type":"string"},{"type":"integer"}]}}})",
       }) {
    EXPECT_FALSE(ContractFromJsonSchema(bad)) << bad;
  }
}

}  // namespace
}  // namespace weir::config
