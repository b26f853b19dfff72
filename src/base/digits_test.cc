#include "base/digits.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(GroupDigits, SetsThreeApart) {
  EXPECT_EQ(GroupDigits(0), "0");
  EXPECT_EQ(GroupDigits(999), "999");
  EXPECT_EQ(GroupDigits(1'000), "1 000");
  EXPECT_EQ(GroupDigits(-123'456), "-123 456");
  EXPECT_EQ(GroupDigits(INT64_MIN), "-9 223 372 036 854 775 808");
}

}  // namespace
}  // namespace weir
