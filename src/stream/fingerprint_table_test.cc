#include "stream/fingerprint_table.h"

#include <deque>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::stream {
namespace {

Fingerprint PrintOf(std::uint64_t number, bool compact) {
  std::uint64_t low = (number + 1) * 0x9E3779B97F4A7C15ULL;
  low ^= low >> 29;
  low *= 0xBF58476D1CE4E5B9ULL;
  if ((low << 8) == 0) low |= 1;
  return {low, compact ? 0 : number};
}

template <typename Layout>
class FingerprintTableTest : public testing::Test {};
using Layouts = testing::Types<CompactLayout, ExactLayout>;
TYPED_TEST_SUITE(FingerprintTableTest, Layouts);

// As many keys come as go, for several times what is held: rows take the places of the dead, and
// parts are purged and made anew. No held key may be missed, and no dead one counted as held.
TYPED_TEST(FingerprintTableTest, HoldsExactlyWhatIsNotBeforeTheFloor) {
  constexpr std::int64_t kHeld = 200'000;
  constexpr std::int64_t kEvents = 5 * kHeld;
  FingerprintTable<TypeParam> table;
  Random random(7);
  for (std::int64_t now = 0; now < kEvents; ++now) {
    const Micros floor = std::max<std::int64_t>(0, now - kHeld);
    const auto print = [](std::int64_t number) {
      return PrintOf(static_cast<std::uint64_t>(number), TypeParam::kCompact);
    };
    ASSERT_EQ(table.Hold(print(now), now, floor, floor), Held::kAdded) << now;
    const auto held = floor + static_cast<std::int64_t>(
                                  random.Below(static_cast<std::uint64_t>(now - floor + 1)));
    ASSERT_TRUE(table.IsHeld(print(held), floor)) << held << " at " << now;
    ASSERT_EQ(table.Hold(print(held), now, floor, floor), Held::kHeld) << held << " at " << now;
    if (floor > 0) {
      ASSERT_FALSE(table.IsHeld(print(floor - 1), floor)) << now;
    }
  }
  std::set<Micros> times;
  const Micros floor = kEvents - kHeld;
  table.Visit(floor, [&](const Fingerprint& print, Micros time) {
    EXPECT_EQ(print, PrintOf(static_cast<std::uint64_t>(time), TypeParam::kCompact));
    EXPECT_TRUE(times.insert(time).second) << time;
  });
  EXPECT_EQ(times.size(), static_cast<std::size_t>(kHeld));
  EXPECT_GE(table.keys(), times.size());
}

// Parts of a few buckets, whose chains often go from the last bucket on to the first.
TYPED_TEST(FingerprintTableTest, AgreesWithAMapWhileSmallAndChurned) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FingerprintTable<TypeParam> table;
    std::map<std::uint64_t, Micros> held;
    Random random(seed);
    Micros floor = 0;
    for (Micros now = 0; now < 20'000; ++now) {
      // All keys in one part, and close together, so that buckets are full.
      const std::uint64_t number = random.Below(400);
      const Fingerprint print{
          (std::uint64_t{9} << 56) | (random.Chance(0.5) ? ~std::uint64_t{0} >> 8 : 0), 0};
      const Fingerprint key{print.low ^ (number + 1), TypeParam::kCompact ? 0 : number};
      const auto known = held.find(key.low);
      const bool is_held = known != held.end() && known->second >= floor;
      ASSERT_EQ(table.IsHeld(key, floor), is_held) << now;
      const Held answer = table.Hold(key, now, floor, floor);
      ASSERT_EQ(answer, is_held ? Held::kHeld : Held::kAdded) << now;
      if (!is_held) held[key.low] = now;
      if (random.Chance(0.1)) floor = std::max(floor, now - static_cast<Micros>(random.Below(600)));
    }
  }
}

TYPED_TEST(FingerprintTableTest, MemoryDoesNotGrowWhileAsManyGoAsCome) {
  constexpr std::int64_t kHeld = 100'000;
  FingerprintTable<TypeParam> table;
  const auto run = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t now = from; now < to; ++now) {
      const Micros floor = std::max<std::int64_t>(0, now - kHeld);
      table.Hold(PrintOf(static_cast<std::uint64_t>(now), TypeParam::kCompact), now, floor, floor);
    }
  };
  run(0, 8 * kHeld);
  const std::size_t settled = table.bytes();
  run(8 * kHeld, 16 * kHeld);
  EXPECT_LE(table.bytes(), settled + settled / 20);
}

}  // namespace
}  // namespace weir::stream
