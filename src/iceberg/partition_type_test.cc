#include "iceberg/partition_type.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "iceberg/manifest_schema.h"

namespace weir::iceberg {
namespace {

connect::PartitionValue Number(Int128 number) { return {.number = number, .text = {}}; }
connect::PartitionValue Text(std::string text) { return {.number = {}, .text = std::move(text)}; }

std::string Hex(const Type& type, const connect::PartitionValue& value) {
  return HexEncode(SingleValue(type, value).value_or("none"));
}

TEST(PartitionTypeTest, SingleValuesInBinary) {
  EXPECT_EQ(Hex(Type::Of(TypeKind::kBoolean), Number(1)), "01");
  EXPECT_EQ(Hex(Type::Of(TypeKind::kInt), Number(-2)), "feffffff");
  EXPECT_EQ(Hex(Type::Of(TypeKind::kDate), Number(1)), "01000000");
  EXPECT_EQ(Hex(Type::Of(TypeKind::kLong), Number(1)), "0100000000000000");
  EXPECT_EQ(Hex(Type::Of(TypeKind::kTimestamp), Number(-1)), "ffffffffffffffff");
  EXPECT_EQ(Hex(Type::Decimal(9, 2), Number(1420)), "058c");
  EXPECT_EQ(Hex(Type::Decimal(9, 2), Number(128)), "0080");
  EXPECT_EQ(Hex(Type::Decimal(9, 2), Number(-1)), "ff");
  EXPECT_EQ(Hex(Type::Of(TypeKind::kString), Text("é")), "c3a9");
  EXPECT_FALSE(SingleValue(Type::Of(TypeKind::kInt), {}));
}

TEST(PartitionTypeTest, ValuesSurviveAvro) {
  const std::vector<std::pair<Type, connect::PartitionValue>> cases = {
      {Type::Of(TypeKind::kBoolean), Number(1)},
      {Type::Of(TypeKind::kInt), Number(-5)},
      {Type::Of(TypeKind::kDate), Number(20'000)},
      {Type::Of(TypeKind::kTimestamp), Number(1'788'256'800'000'000)},
      {Type::Decimal(10, 2), Number(-1'234'567)},
      {Type::Decimal(38, 0), Number(-(Int128{1} << 120))},
      {Type::Of(TypeKind::kString), Text("a b/c")},
      {Type::Of(TypeKind::kBinary), Text(std::string("\0\xff", 2))},
      {Type::Of(TypeKind::kUuid), Text("0123456789abcdef")}};
  for (const auto& [type, value] : cases) {
    avro::Encoder encoder;
    EncodeValue(type, value, encoder);
    const auto schema = avro::Schema::Parse(DumpJson(AvroTypeOf(type)));
    ASSERT_TRUE(schema) << ToString(type);
    avro::Decoder decoder(encoder.bytes());
    EXPECT_EQ(DecodeValue(type, schema->root(), decoder), value) << ToString(type);
    EXPECT_FALSE(decoder.failed());
    EXPECT_TRUE(decoder.rest().empty());
  }
}

TEST(PartitionTypeTest, DaysAreDatesAndDecimalsAreFixed) {
  EXPECT_EQ(DumpJson(AvroTypeOf(Type::Of(TypeKind::kDate))),
            R"({"type":"int","logicalType":"date"})");
  const Json decimal = AvroTypeOf(Type::Decimal(10, 2));
  EXPECT_EQ(decimal["size"], 5);
  EXPECT_EQ(AvroTypeOf(Type::Decimal(9, 2))["size"], 4);
  EXPECT_EQ(AvroTypeOf(Type::Decimal(18, 2))["size"], 8);
  EXPECT_EQ(AvroTypeOf(Type::Decimal(38, 2))["size"], 16);
  Type local = Type::Of(TypeKind::kTimestamp);
  local.zoned = false;
  EXPECT_EQ(AvroTypeOf(local)["adjust-to-utc"], false);
}

TEST(PartitionTypeTest, NamesThatAvroTakes) {
  EXPECT_EQ(AvroName("event_time_day"), "event_time_day");
  EXPECT_EQ(AvroName("my#str%bucket"), "my_x23str_x25bucket");
  EXPECT_EQ(AvroName("two words"), "two_x20words");
  EXPECT_EQ(AvroName("1st"), "_1st");
  EXPECT_EQ(AvroName("a.b"), "a_x2Eb");
  EXPECT_EQ(AvroName("😎"), "_x1F60E");
  EXPECT_EQ(AvroName("价格"), "_x4EF7_x683C");
}

TEST(PartitionTypeTest, SchemasKeepTheNameAndDefineTypesOnce) {
  const PartitionType type = {{1000, "😎", Type::Decimal(9, 2)}, {1001, "b", Type::Decimal(9, 2)}};
  const std::string text = ManifestSchema(type);
  EXPECT_TRUE(avro::Schema::Parse(text));
  EXPECT_NE(text.find(R"("iceberg-field-name":"😎")"), std::string::npos);
  EXPECT_EQ(text.find("decimal_9_2"), text.find(R"(decimal_9_2","size")"));
  EXPECT_NE(text.find(R"(["null","decimal_9_2"])"), std::string::npos);
  const auto empty = avro::Schema::Parse(ManifestSchema({}));
  ASSERT_TRUE(empty);  // an empty record for an unpartitioned table
}

TEST(PartitionTypeTest, RangesOfAManifest) {
  const PartitionType type = {{1000, "day", Type::Of(TypeKind::kDate)},
                              {1001, "kind", Type::Of(TypeKind::kString)}};
  PartitionRanges ranges(type);
  ranges.Add({Number(5), Text("buy")});
  ranges.Add({Number(-3), {}});
  ranges.Add({Number(7), Text("add")});
  const std::vector<FieldSummary> summaries = ranges.Summaries();
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_FALSE(summaries[0].contains_null);
  EXPECT_EQ(HexEncode(*summaries[0].lower), "fdffffff");
  EXPECT_EQ(HexEncode(*summaries[0].upper), "07000000");
  EXPECT_TRUE(summaries[1].contains_null);
  EXPECT_EQ(summaries[1].lower, "add");
  EXPECT_EQ(summaries[1].upper, "buy");
}

}  // namespace
}  // namespace weir::iceberg
