#include "generate/partitioner.h"

#include <gtest/gtest.h>

namespace weir::generate {
namespace {

// The values that the tests of Kafka's Java client expect, and of each length of rest.
TEST(Partitioner, HashesAsKafkaDoes) {
  EXPECT_EQ(static_cast<std::int32_t>(Murmur2("21")), -973932308);
  EXPECT_EQ(static_cast<std::int32_t>(Murmur2("foobar")), -790332482);
  EXPECT_EQ(static_cast<std::int32_t>(Murmur2("a-little-bit-long-string")), -985981536);
  EXPECT_EQ(static_cast<std::int32_t>(Murmur2("a-little-bit-longer-string")), -1486304829);
  EXPECT_EQ(static_cast<std::int32_t>(Murmur2("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8")),
            -58897971);
  EXPECT_EQ(static_cast<std::int32_t>(Murmur2("abc")), 479470107);
}

// Bytes above 127 are unsigned.
TEST(Partitioner, TakesAnyBytes) {
  EXPECT_NE(Murmur2("\xff\xfe\xfd"), Murmur2("\x7f\x7e\x7d"));
  EXPECT_EQ(PartitionOf("user_000001", 1), Partition(0));
}

TEST(Partitioner, MasksTheSignBeforeTheModulo) {
  EXPECT_EQ(PartitionOf("21", 7),
            Partition(static_cast<std::int32_t>((-973932308 & 0x7fffffff) % 7)));
}

}  // namespace
}  // namespace weir::generate
