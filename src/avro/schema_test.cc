#include "avro/schema.h"

#include <gtest/gtest.h>

namespace weir::avro {
namespace {

TEST(AvroSchemaTest, KeepsFieldIdsAndLogicalTypes) {
  const auto schema = Schema::Parse(R"({"type": "record", "name": "data_file", "fields": [
    {"name": "day", "field-id": 1000, "default": null,
     "type": ["null", {"type": "int", "logicalType": "date"}]},
    {"name": "offsets", "field-id": 132,
     "type": {"type": "array", "items": "long", "element-id": 133}},
    {"name": "price", "type": {"type": "fixed", "name": "d", "size": 5, "logicalType": "decimal",
     "precision": 10, "scale": 2}},
    {"name": "again", "type": "d"}]})");
  ASSERT_TRUE(schema);
  const Node& root = schema->root();
  ASSERT_EQ(root.kind, Kind::kRecord);
  ASSERT_EQ(root.members.size(), 4U);
  EXPECT_EQ(root.members[0].id, 1000);
  EXPECT_EQ(root.members[0].type->branches[1]->logical_type, "date");
  EXPECT_EQ(root.members[1].type->element_id, 133);
  EXPECT_EQ(root.members[2].type->size, 5U);
  EXPECT_FALSE(root.members[2].id.has_value());
  EXPECT_EQ(root.members[3].type, root.members[2].type);
}

TEST(AvroSchemaTest, RecordsMayHoldThemselves) {
  const auto schema = Schema::Parse(R"({"type": "record", "name": "a.b.node", "fields": [
    {"name": "next", "type": ["null", "a.b.node"]}]})");
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->root().members[0].type->branches[1], &schema->root());
}

TEST(AvroSchemaTest, RefusesWhatIsNoSchema) {
  for (const char* json :
       {"", "{", "1", "\"strange\"", "[]", "{}", R"({"type":"record","name":"r"})",
        R"({"type":"record","fields":[]})", R"({"type":"array"})", R"(["null",["int"]])",
        R"({"type":"fixed","name":"f","size":-1})", R"({"type":"record","name":"r","fields":[{}]})",
        R"({"type":"fixed","name":"f","size":99999999999})"}) {
    const auto schema = Schema::Parse(json);
    ASSERT_FALSE(schema) << json;
    EXPECT_EQ(schema.error().kind, ErrorKind::kCorrupt);
  }
}

TEST(AvroSchemaTest, RefusesDeepNesting) {
  std::string json = "\"int\"";
  for (int i = 0; i < 10'000; ++i) json = R"({"type":"array","items":)" + json + "}";
  EXPECT_FALSE(Schema::Parse(json));
  EXPECT_FALSE(Schema::Parse(std::string(100'000, '[')));
}

}  // namespace
}  // namespace weir::avro
