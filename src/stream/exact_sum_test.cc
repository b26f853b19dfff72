#include "stream/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "stream/wide_sum.h"

namespace weir::stream {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ExactSum SumOf(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.Add(value);
  return sum;
}

TEST(ExactSum, RoundsOnceAndNotOnTheWay) {
  EXPECT_EQ(SumOf({}).Rounded(), 0.0);
  EXPECT_EQ(SumOf({1e16, 1, -1e16}).Rounded(), 1.0);
  EXPECT_EQ(SumOf({1e308, 1e308, -1e308, -1e308, 3}).Rounded(), 3.0);
  EXPECT_EQ(SumOf({kMax, kMax, -kMax}).Rounded(), kMax);
  EXPECT_EQ(SumOf({kMax, kMax}).Rounded(), kInfinity);
  EXPECT_EQ(SumOf({-kMax, -kMax}).Rounded(), -kInfinity);
  EXPECT_EQ(SumOf({kTiny, kTiny, -kMax, kMax}).Rounded(), 2 * kTiny);
  EXPECT_EQ(SumOf(std::vector<double>(10, 0.1)).Rounded(), 1.0);
  EXPECT_EQ(SumOf({-0.1, 0.05, 0.05}).Rounded(), 0.0);
}

TEST(ExactSum, TiesGoToEven) {
  const double two53 = 9007199254740992.0;
  EXPECT_EQ(SumOf({two53, 1}).Rounded(), two53);
  EXPECT_EQ(SumOf({two53 + 2, 1}).Rounded(), two53 + 4);
  EXPECT_EQ(SumOf({two53, 1, kTiny}).Rounded(), two53 + 2);
  EXPECT_EQ(SumOf({-two53, -1, -kTiny}).Rounded(), -two53 - 2);
}

TEST(ExactSum, KeepsInfinitiesAndNan) {
  EXPECT_EQ(SumOf({kInfinity, 1}).Rounded(), kInfinity);
  EXPECT_EQ(SumOf({-kInfinity, kMax}).Average(2), -kInfinity);
  EXPECT_TRUE(std::isnan(SumOf({kInfinity, -kInfinity}).Rounded()));
  EXPECT_TRUE(std::isnan(SumOf({std::nan(""), 1}).Rounded()));
}

TEST(ExactSum, AveragesAreRoundedOnce) {
  EXPECT_EQ(SumOf({1, 2}).Average(2), 1.5);
  EXPECT_EQ(SumOf({1, 0, 0}).Average(3), 1.0 / 3);
  EXPECT_EQ(SumOf({-2, 0, 0}).Average(3), -2.0 / 3);
  EXPECT_EQ(SumOf({kMax, kMax}).Average(2), kMax);
  EXPECT_EQ(SumOf({kTiny}).Average(2), 0.0);            // a tie, to even
  EXPECT_EQ(SumOf({3 * kTiny}).Average(2), 2 * kTiny);  // a tie, to even
  EXPECT_EQ(SumOf({kTiny, kTiny}).Average(3), kTiny);   // two thirds
  EXPECT_EQ(SumOf({}).Average(7), 0.0);
}

TEST(ExactSum, OrderMakesNoDifference) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) {
      // Any bits that are a number.
      const auto value = std::bit_cast<double>(random.Next());
      if (std::isfinite(value)) values.push_back(value);
      if (random.Chance(0.3) && !values.empty()) values.push_back(-values.back());
    }
    const double expected = SumOf(values).Rounded();
    std::ranges::sort(values);
    EXPECT_EQ(SumOf(values).Rounded(), expected);
    std::ranges::reverse(values);
    EXPECT_EQ(SumOf(values).Rounded(), expected);
  }
}

TEST(ExactSum, AgreesWithIntegers) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    ExactSum sum;
    std::int64_t expected = 0;
    for (int i = 0; i < 50; ++i) {
      const auto value = static_cast<std::int64_t>(random.Next() >> 20) - (1LL << 43);
      sum.Add(std::ldexp(static_cast<double>(value), -40));
      expected += value;
    }
    EXPECT_EQ(sum.Rounded(), std::ldexp(static_cast<double>(expected), -40));
    EXPECT_EQ(sum.Average(50), std::ldexp(static_cast<double>(expected) / 50.0, -40));
  }
}

TEST(ExactSum, ComesBackFromItsBytesHoweverOften) {
  Random random(3);
  ExactSum kept;
  ExactSum straight;
  for (int i = 0; i < 500; ++i) {
    const double value = (random.Unit() - 0.6) * std::pow(10, static_cast<double>(i % 30) - 15);
    kept.Add(value);
    straight.Add(value);
    WireWriter out;
    kept.Write(out);
    EXPECT_LT(out.size(), 100U);
    WireReader in(out.bytes());
    kept = ExactSum();
    kept.Read(in);
    ASSERT_TRUE(in.ok() && in.at_end());
    ASSERT_EQ(kept.Rounded(), straight.Rounded());
  }
}

TEST(WideSum, HoldsMoreThanItsValuesDo) {
  const Int128 big = (static_cast<Int128>(1) << 126) - 1;
  WideSum sum;
  for (int i = 0; i < 5; ++i) sum.Add(big);
  EXPECT_FALSE(sum.Value().has_value());
  for (int i = 0; i < 5; ++i) sum.Add(-big);
  sum.Add(-7);
  EXPECT_TRUE(sum.Value() == static_cast<Int128>(-7));
}

TEST(WideSum, RefusesMoreThan38Digits) {
  Int128 limit = 1;
  for (int i = 0; i < 38; ++i) limit *= 10;
  WideSum sum;
  sum.Add(limit - 1);
  EXPECT_TRUE(sum.Value() == limit - 1);
  EXPECT_FALSE(sum.Average(1, 1).has_value());
  sum.Add(1);
  EXPECT_FALSE(sum.Value().has_value());
  EXPECT_TRUE(sum.Average(10, 0) == limit / 10);
}

TEST(WideSum, AveragesRoundHalfAwayFromZero) {
  const auto average = [](Int128 total, std::uint64_t n, int digits) {
    WideSum sum;
    sum.Add(total);
    return static_cast<std::int64_t>(sum.Average(n, digits).value());
  };
  EXPECT_EQ(average(1, 2, 0), 1);
  EXPECT_EQ(average(-1, 2, 0), -1);
  EXPECT_EQ(average(1, 3, 4), 3333);
  EXPECT_EQ(average(2, 3, 4), 6667);
  EXPECT_EQ(average(-2, 3, 4), -6667);
  EXPECT_EQ(average(0, 3, 4), 0);
  EXPECT_EQ(average(10, 4, 1), 25);
}

TEST(WideSum, AverageOfManyWideValuesFits) {
  const Int128 big = static_cast<Int128>(1) << 120;
  WideSum sum;
  for (int i = 0; i < 1000; ++i) sum.Add(-big);
  EXPECT_TRUE(sum.Average(1000, 0) == -big);
}

TEST(WideSum, AveragesOfIntegersAreTheNearestDouble) {
  Random random(5);
  for (int i = 0; i < 5000; ++i) {
    const auto total = static_cast<std::int64_t>(random.Next() >> (11 + random.Below(52))) *
                       (random.Chance(0.5) ? 1 : -1);
    const std::uint64_t n = 1 + random.Below(1000);
    WideSum sum;
    sum.Add(total);
    // Both sides are exact doubles, so the hardware's division rounds once as well.
    EXPECT_EQ(sum.AverageDouble(n), static_cast<double>(total) / static_cast<double>(n));
  }
  WideSum half;  // 2^53 + 1 over 1: a tie
  half.Add((std::int64_t{1} << 53) + 1);
  EXPECT_EQ(half.AverageDouble(1), 9007199254740992.0);
}

}  // namespace
}  // namespace weir::stream
