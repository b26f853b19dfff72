#include "avro/decoder.h"

#include <gtest/gtest.h>

#include "avro/encoder.h"

namespace weir::avro {
namespace {

Schema Parsed(std::string_view json) {
  auto schema = Schema::Parse(json);
  EXPECT_TRUE(schema) << json;
  return schema ? std::move(schema).value() : Schema();
}

TEST(DecoderTest, EndsAtTheFirstErrorAndStaysThere) {
  Decoder decoder(
      std::string_view("\x06"
                       "fo",
                       3));
  EXPECT_EQ(decoder.Bytes(), "");
  EXPECT_TRUE(decoder.failed());
  EXPECT_EQ(decoder.Long(), 0);
  EXPECT_EQ(decoder.Fixed(0), "");
  EXPECT_TRUE(decoder.failed());
}

TEST(DecoderTest, RefusesNumbersThatNeverEnd) {
  const std::string endless(11, '\xFF');
  Decoder decoder(endless);
  decoder.Long();
  EXPECT_TRUE(decoder.failed());
}

TEST(DecoderTest, RefusesNegativeLengthsAndLargeCounts) {
  Encoder encoder;
  encoder.Long(-5);
  Decoder negative(encoder.bytes());
  negative.Bytes();
  EXPECT_TRUE(negative.failed());

  Encoder many;
  many.Long(1'000'000'000'000);
  Decoder decoder(many.bytes());
  int items = 0;
  decoder.ForEachItem([&] { ++items; });
  EXPECT_TRUE(decoder.failed());
  EXPECT_EQ(items, 0);
}

TEST(DecoderTest, ReadsBlocksWithTheirSizeInBytes) {
  Encoder encoder;
  encoder.Long(-2);  // two items, the block's size follows
  encoder.Long(2);
  encoder.Long(1);
  encoder.Long(2);
  encoder.EndItems();
  Decoder decoder(encoder.bytes());
  std::int64_t sum = 0;
  decoder.ForEachItem([&] { sum += decoder.Long(); });
  EXPECT_EQ(sum, 3);
  EXPECT_FALSE(decoder.failed());
}

TEST(DecoderTest, SkipsEveryKindOfValue) {
  const Schema schema = Parsed(R"({"type": "record", "name": "r", "fields": [
    {"name": "a", "type": "null"}, {"name": "b", "type": "boolean"}, {"name": "c", "type": "int"},
    {"name": "d", "type": "long"}, {"name": "e", "type": "float"}, {"name": "f", "type": "double"},
    {"name": "g", "type": "bytes"}, {"name": "h", "type": "string"},
    {"name": "i", "type": {"type": "fixed", "name": "four", "size": 4}},
    {"name": "j", "type": {"type": "enum", "name": "e", "symbols": ["x", "y"]}},
    {"name": "k", "type": {"type": "array", "items": "four"}},
    {"name": "l", "type": {"type": "map", "values": ["null", "long"]}}]})");
  Encoder encoder;
  encoder.Boolean(true);
  encoder.Int(1);
  encoder.Long(2);
  encoder.Float(3);
  encoder.Double(4);
  encoder.Bytes("five");
  encoder.Bytes("six");
  encoder.Fixed("sevn");
  encoder.Int(1);
  encoder.BeginItems(1);
  encoder.Fixed("abcd");
  encoder.EndItems();
  encoder.BeginItems(2);
  encoder.Bytes("one");
  encoder.Present();
  encoder.Long(1);
  encoder.Bytes("none");
  encoder.Null();
  encoder.EndItems();
  encoder.Bytes("after");
  Decoder decoder(encoder.bytes());
  decoder.Skip(schema.root());
  EXPECT_EQ(decoder.Bytes(), "after");
  EXPECT_FALSE(decoder.failed());
}

TEST(DecoderTest, WorkWithoutBytesEnds) {
  // Doubles at each level: 2^40 values of no bytes.
  std::string json = R"({"type":"record","name":"r40","fields":[]})";
  for (int level = 39; level >= 0; --level) {
    json = R"({"type":"record","name":"r)" + std::to_string(level) +
           R"(","fields":[{"name":"a","type":)" + json + R"(},{"name":"b","type":"r)" +
           std::to_string(level + 1) + R"("}]})";
  }
  const Schema schema = Parsed(json);
  Decoder decoder("x");
  decoder.Skip(schema.root());
  EXPECT_TRUE(decoder.failed());
}

TEST(DecoderTest, ResolvesUnions) {
  const Schema schema = Parsed(R"(["null", "string"])");
  Encoder encoder;
  encoder.Null();
  encoder.Present();
  encoder.Bytes("x");
  encoder.Branch(2);
  Decoder decoder(encoder.bytes());
  EXPECT_EQ(decoder.Resolve(schema.root()).kind, Kind::kNull);
  EXPECT_EQ(decoder.Resolve(schema.root()).kind, Kind::kString);
  EXPECT_EQ(decoder.Bytes(), "x");
  decoder.Resolve(schema.root());
  EXPECT_TRUE(decoder.failed());
}

}  // namespace
}  // namespace weir::avro
