#include "base/random.h"

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::ElementsAre;

// The sequences of a Python program of ours that follows the papers' definitions. Seeded data sets,
// answer keys and simulated histories depend on them: they never change.
TEST(Random, SequenceIsFixed) {
  Random zero(0);
  EXPECT_EQ(zero.Next(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(zero.Next(), 0xbf6e1f784956452aU);
  EXPECT_EQ(zero.Next(), 0x1a5f849d4933e6e0U);
  EXPECT_EQ(zero.Next(), 0x6aa594f1262d2d2cU);
  Random answer(42);
  EXPECT_EQ(answer.Next(), 0x15780b2e0c2ec716U);
  EXPECT_EQ(answer.Next(), 0x6104d9866d113a7eU);
  Random all_ones(~std::uint64_t{0});
  EXPECT_EQ(all_ones.Next(), 0x8f5520d52a7ead08U);
}

TEST(Random, BoundedSequenceIsFixed) {
  Random dice(7);
  std::vector<std::uint64_t> throws(16);
  for (std::uint64_t& value : throws) value = dice.Below(6);
  EXPECT_THAT(throws, ElementsAre(4, 1, 5, 5, 5, 5, 0, 0, 2, 0, 3, 4, 5, 5, 2, 3));
  EXPECT_EQ(dice.Below(1'000'000'007), 256'697'990U);
  EXPECT_EQ(dice.Below(1'000'000'007), 466'258'170U);
}

// With this bound almost every second draw must be thrown away.
TEST(Random, BoundedSequenceIsFixedWhereDrawsAreRejected) {
  Random random(7);
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
  EXPECT_EQ(random.Below(bound), 6'461'677'535'414'237'997U);
  EXPECT_EQ(random.Below(bound), 7'744'196'453'246'319'819U);
  EXPECT_EQ(random.Below(bound), 9'049'029'322'324'588'832U);
  EXPECT_EQ(random.Below(bound), 9'139'072'988'219'048'332U);
}

TEST(Random, UnitSequenceIsFixed) {
  Random random(7);
  EXPECT_EQ(random.Unit(), 0.7005764821796896);
  EXPECT_EQ(random.Unit(), 0.2787512294737843);
  EXPECT_EQ(random.Unit(), 0.8396274618764198);
}

TEST(Random, BelowOneIsZero) {
  Random random(3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.Below(1), 0U);
}

TEST(Random, BelowIsEven) {
  Random random(11);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[random.Below(10)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Random, ChanceFollowsItsProbability) {
  Random random(5);
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) hits += random.Chance(0.02) ? 1 : 0;
  EXPECT_NEAR(hits, 2'000, 200);
  EXPECT_FALSE(random.Chance(0));
  EXPECT_TRUE(random.Chance(1));
}

// The form of RFC 9562: 8-4-4-4-12 digits, a version digit and the variant bits 10.
bool IsUuid(std::string_view text, char version) {
  if (text.size() != 36 || text[14] != version) return false;
  if (std::string_view("89ab").find(text[19]) == std::string_view::npos) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const std::string_view allowed = dash ? "-" : "0123456789abcdef";
    if (allowed.find(text[i]) == std::string_view::npos) return false;
  }
  return true;
}

TEST(Uuid, Version4HasItsForm) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string uuid = NewUuid();
    EXPECT_TRUE(IsUuid(uuid, '4')) << uuid;
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), 200U);
}

TEST(Uuid, Version7StartsWithItsTime) {
  const std::string uuid = NewUuidV7(0x0123456789ab);
  EXPECT_TRUE(IsUuid(uuid, '7')) << uuid;
  EXPECT_EQ(uuid.substr(0, 13), "01234567-89ab");
  EXPECT_LT(NewUuidV7(1'000), NewUuidV7(1'001));
  EXPECT_NE(NewUuidV7(1'000), NewUuidV7(1'000));
}

}  // namespace
}  // namespace weir
