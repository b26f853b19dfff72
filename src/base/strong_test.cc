#include "base/strong.h"

#include <cstdint>
#include <type_traits>
#include <unordered_set>

#include <gtest/gtest.h>

namespace weir {
namespace {

using Apples = Strong<struct ApplesTag, std::int32_t>;
using Pears = Strong<struct PearsTag, std::int32_t>;

static_assert(!std::is_convertible_v<std::int32_t, Apples>);
static_assert(!std::is_convertible_v<Apples, std::int32_t>);
static_assert(!std::is_convertible_v<Apples, Pears>);

TEST(Strong, ComparesCountsAndHashes) {
  Apples apples(3);
  EXPECT_LT(Apples(2), apples);
  EXPECT_EQ((++apples).value(), 4);
  EXPECT_EQ(Apples().value(), 0);
  const std::unordered_set<Apples> set{Apples(1), Apples(1), Apples(2)};
  EXPECT_EQ(set.size(), 2U);
}

}  // namespace
}  // namespace weir
