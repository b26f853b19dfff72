#include "spool/partitioner.h"

#include <string>

#include <gtest/gtest.h>

namespace weir::spool {
namespace {

// Values that Kafka's own client gives, which its users rely on.
TEST(Murmur2, AgreesWithKafka) {
  EXPECT_EQ(Murmur2("21"), -973'932'308);
  EXPECT_EQ(Murmur2("foobar"), -790'332'482);
  EXPECT_EQ(Murmur2("a-little-bit-long-string"), -985'981'536);
  EXPECT_EQ(Murmur2("a-little-bit-longer-string"), -1'486'304'829);
  EXPECT_EQ(Murmur2("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8"), -58'897'971);
  EXPECT_EQ(Murmur2("abc"), 479'470'107);
}

TEST(Murmur2, BytesAboveAsciiAreUnsigned) {
  // From a Python program of ours that follows the definition.
  EXPECT_EQ(Murmur2("\xc3\xa4\xff"), 1'284'007'856);
  EXPECT_EQ(Murmur2(""), 275'646'681);
}

TEST(PartitionOf, IsThePositiveHashModuloThePartitions) {
  EXPECT_EQ(PartitionOf("foobar", 1).value(), 0);
  EXPECT_EQ(PartitionOf("foobar", 7).value(), (-790'332'482 & 0x7fffffff) % 7);
  for (int i = 0; i < 1'000; ++i) {
    const int partition = PartitionOf("user-" + std::to_string(i), 6).value();
    EXPECT_GE(partition, 0);
    EXPECT_LT(partition, 6);
  }
}

}  // namespace
}  // namespace weir::spool
