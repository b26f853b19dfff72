#include "iceberg/schema_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "iceberg/spec_json.h"

namespace weir::iceberg {
namespace {

TEST(SchemaJsonTest, EveryTypeComesBack) {
  const char* text = R"json({"type":"struct","schema-id":3,"fields":[
    {"id":1,"name":"flag","required":true,"type":"boolean"},
    {"id":2,"name":"i","required":false,"type":"int"},
    {"id":3,"name":"l","required":false,"type":"long"},
    {"id":4,"name":"f","required":false,"type":"float"},
    {"id":5,"name":"d","required":false,"type":"double"},
    {"id":6,"name":"p","required":false,"type":"decimal(10, 2)"},
    {"id":7,"name":"day","required":false,"type":"date"},
    {"id":8,"name":"at","required":false,"type":"timestamptz"},
    {"id":9,"name":"local","required":false,"type":"timestamp"},
    {"id":10,"name":"s","required":false,"type":"string","doc":"a text"},
    {"id":11,"name":"u","required":false,"type":"uuid"},
    {"id":12,"name":"b","required":false,"type":"binary"},
    {"id":13,"name":"st","required":false,"type":{"type":"struct","fields":[
      {"id":14,"name":"x","required":true,"type":"int"}]}},
    {"id":15,"name":"li","required":false,"type":
      {"type":"list","element-id":16,"element":"string","element-required":true}},
    {"id":17,"name":"m","required":false,"type":{"type":"map","key-id":18,"key":"string",
      "value-id":19,"value":"long","value-required":false}}]
})json";
  const Json json = ParseJson(text).value();
  const auto read = SchemaFromJson(json);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->left_out.empty());
  ASSERT_EQ(read->schema.fields.size(), 15U);
  EXPECT_EQ(read->schema.fields[5].type, Type::Decimal(10, 2));
  EXPECT_FALSE(read->schema.fields[8].type.zoned);
  EXPECT_EQ(read->schema.fields[13].type.children[0].id, 16);
  EXPECT_TRUE(read->schema.fields[13].type.children[0].required);
  EXPECT_EQ(SchemaToJson(read->schema, 3), json);
}

TEST(SchemaJsonTest, DecimalsWithAnySpacing) {
  for (const char* spelling : {"decimal(9,2)", "decimal(9, 2)", "decimal( 9 , 2 )"}) {
    const Json json = {{"fields", Json::array({{{"id", 1}, {"name", "p"}, {"type", spelling}}})}};
    const auto read = SchemaFromJson(json);
    ASSERT_TRUE(read) << spelling;
    ASSERT_EQ(read->schema.fields.size(), 1U);
    EXPECT_EQ(read->schema.fields[0].type, Type::Decimal(9, 2));
  }
}

TEST(SchemaJsonTest, LeavesOutOptionalColumnsOfUnknownTypes) {
  const auto read = SchemaFromJson(*ParseJson(R"({"fields":[
    {"id":1,"name":"a","required":false,"type":"time"},
    {"id":2,"name":"b","required":true,"type":"int"},
    {"id":3,"name":"c","required":false,"type":"fixed[16]"},
    {"id":4,"name":"d","required":false,"type":{"type":"list","element-id":5,
      "element":"timestamptz_ns","element-required":false}},
    {"id":6,"name":"e","required":false,"type":{"type":"struct","fields":[
      {"id":7,"name":"x","required":false,"type":"variant"},
      {"id":8,"name":"y","required":false,"type":"int"}]}}]})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->left_out, (std::vector<std::string>{"a", "c", "d", "e.x"}));
  ASSERT_EQ(read->schema.fields.size(), 2U);
  EXPECT_EQ(read->schema.fields[0].name, "b");
  EXPECT_EQ(read->schema.fields[1].type.children.size(), 1U);
}

TEST(SchemaJsonTest, NamesARequiredColumnOfAnUnknownType) {
  const auto read = SchemaFromJson(
      *ParseJson(R"({"fields":[{"id":1,"name":"t","required":true,"type":"time"}]})"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(read.error().message,
            "column t is required and of type time, which Weir does not write");
}

TEST(SchemaJsonTest, DamageIsCorrupt) {
  for (const char* text :
       {R"({})", R"({"fields":1})", R"({"fields":[{"name":"a","type":"int"}]})",
        R"({"fields":[{"id":1,"type":"int"}]})", R"({"fields":[{"id":1,"name":"a"}]})"}) {
    const auto read = SchemaFromJson(*ParseJson(text));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::kCorrupt) << text;
  }
}

TEST(SpecJsonTest, SpecComesBack) {
  const Json json = ParseJson(R"({"spec-id":2,"fields":[
    {"name":"day","transform":"day","source-id":2,"field-id":1000},
    {"name":"b","transform":"bucket[16]","source-id":1,"field-id":1001},
    {"name":"t","transform":"truncate[4]","source-id":1,"field-id":1002},
    {"name":"v","transform":"void","source-id":3,"field-id":1003}]})")
                        .value();
  const auto spec = SpecFromJson(json);
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->fields[1].transform, connect::Transform::kBucket);
  EXPECT_EQ(spec->fields[1].width, 16);
  EXPECT_EQ(SpecToJson(*spec), json);
}

TEST(SpecJsonTest, NamesAnUnknownTransform) {
  const auto spec = SpecFromJson(*ParseJson(R"({"spec-id":0,"fields":[
    {"name":"z","transform":"zorder[3]","source-id":2,"field-id":1000}]})"));
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(spec.error().code, ErrorCode::kTableUnsupported);
  EXPECT_NE(spec.error().message.find("zorder[3]"), std::string::npos);
  // Transforms over several columns name them in a list.
  EXPECT_FALSE(SpecFromJson(*ParseJson(R"({"spec-id":0,"fields":[
    {"name":"b","transform":"bucket[4]","source-ids":[1,2],"field-id":1000}]})")));
}

TEST(SpecJsonTest, SortOrderComesBack) {
  const Json json = ParseJson(R"({"order-id":1,"fields":[
    {"transform":"identity","source-id":2,"direction":"desc","null-order":"nulls-last"}]})")
                        .value();
  const auto order = SortOrderFromJson(json);
  ASSERT_TRUE(order);
  EXPECT_FALSE(order->fields[0].ascending);
  EXPECT_FALSE(order->fields[0].nulls_first);
  EXPECT_EQ(SortOrderToJson(*order), json);
}

TEST(SpecJsonTest, AnOrderThatCannotBeKeptIsUnsorted) {
  const auto order = SortOrderFromJson(*ParseJson(R"({"order-id":1,"fields":[
    {"transform":"hilbert","source-id":2,"direction":"asc","null-order":"nulls-first"}]})"));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->order_id, 0);
}

}  // namespace
}  // namespace weir::iceberg
