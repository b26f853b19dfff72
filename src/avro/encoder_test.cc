#include "avro/encoder.h"

#include <limits>

#include <gtest/gtest.h>

#include "avro/decoder.h"
#include "base/bytes.h"

namespace weir::avro {
namespace {

std::string LongHex(std::int64_t value) {
  Encoder encoder;
  encoder.Long(value);
  return HexEncode(encoder.bytes());
}

TEST(EncoderTest, LongsAsTheSpecificationShowsThem) {
  EXPECT_EQ(LongHex(0), "00");
  EXPECT_EQ(LongHex(-1), "01");
  EXPECT_EQ(LongHex(1), "02");
  EXPECT_EQ(LongHex(-64), "7f");
  EXPECT_EQ(LongHex(64), "8001");
  EXPECT_EQ(LongHex(std::numeric_limits<std::int64_t>::max()), "feffffffffffffffff01");
  EXPECT_EQ(LongHex(std::numeric_limits<std::int64_t>::min()), "ffffffffffffffffff01");
}

TEST(EncoderTest, TextHasItsLengthInFront) {
  Encoder encoder;
  encoder.Bytes("foo");
  EXPECT_EQ(HexEncode(encoder.bytes()), "06666f6f");
}

TEST(EncoderTest, WhatIsWrittenIsReadBack) {
  Encoder encoder;
  encoder.Boolean(true);
  encoder.Int(-7);
  encoder.Float(1.5F);
  encoder.Double(-0.25);
  encoder.Bytes(std::string("a\0b", 3));
  encoder.Fixed("xyz");
  encoder.BeginItems(2);
  encoder.Long(10);
  encoder.Long(20);
  encoder.EndItems();
  encoder.BeginItems(0);
  encoder.EndItems();
  Decoder decoder(encoder.bytes());
  EXPECT_TRUE(decoder.Boolean());
  EXPECT_EQ(decoder.Long(), -7);
  EXPECT_EQ(decoder.Float(), 1.5F);
  EXPECT_EQ(decoder.Double(), -0.25);
  EXPECT_EQ(decoder.Bytes(), std::string_view("a\0b", 3));
  EXPECT_EQ(decoder.Fixed(3), "xyz");
  std::vector<std::int64_t> items;
  decoder.ForEachItem([&] { items.push_back(decoder.Long()); });
  decoder.ForEachItem([&] { items.push_back(decoder.Long()); });
  EXPECT_EQ(items, (std::vector<std::int64_t>{10, 20}));
  EXPECT_TRUE(decoder.rest().empty());
  EXPECT_FALSE(decoder.failed());
}

}  // namespace
}  // namespace weir::avro
