#include "stream/session_stats.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "stream/session_stats_spans.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Micros kHour = kMicrosPerDay / 24;
constexpr Micros kEnd = std::numeric_limits<Micros>::max();

SessionFacts Closed(Micros start, Micros end, std::int64_t events = 2) {
  return {.start = start, .end = end, .events = events, .step_times = {}};
}

std::vector<std::string> Close(SessionStats& stats, Micros watermark = kEnd) {
  Batch out(std::make_shared<Schema>(SessionStatsColumns()));
  stats.Close(watermark, &out);
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < out.rows(); ++row) {
    rows.push_back(fmt::format("{}..{} n={} median={} p90={} bounces={}", out.columns[0].Long(row),
                               out.columns[1].Long(row), out.columns[2].Long(row),
                               out.columns[3].Double(row), out.columns[4].Double(row),
                               out.columns[5].Long(row)));
  }
  return rows;
}

TEST(SessionStatsTest, WindowIsThatOfTheEndAndItsBorderBelongsToTheNext) {
  SessionStats stats({.size = 10}, 5);
  const std::vector<SessionFacts> closed = {Closed(0, 10), Closed(3, 9), Closed(-1, -1, 1)};
  stats.AddClosed(closed);
  EXPECT_THAT(Close(stats), ElementsAre("-10..0 n=1 median=0 p90=0 bounces=1",
                                        "0..10 n=1 median=6e-06 p90=6e-06 bounces=0",
                                        "10..20 n=1 median=1e-05 p90=1e-05 bounces=0"));
  EXPECT_THAT(Close(stats), IsEmpty());
}

TEST(SessionStatsTest, WindowIsGivenOutWhenNoSessionInItCanBeOpen) {
  SessionStats stats({.size = 10}, 5);
  const std::vector<SessionFacts> closed = {Closed(0, 9)};
  stats.AddClosed(closed);
  EXPECT_THAT(Close(stats, kNoWatermark), IsEmpty());
  EXPECT_THAT(Close(stats, 14), IsEmpty());
  EXPECT_THAT(Close(stats, 15), testing::SizeIs(1));
}

TEST(SessionStatsTest, RanksAreTheSmallestValueOfAtLeastThatRank) {
  const auto ranks = [](int n) {
    SessionStats stats({.size = kMicrosPerDay}, 0);
    std::vector<SessionFacts> closed;
    for (int i = n; i >= 1; --i) closed.push_back(Closed(0, i * kMicrosPerSecond));
    stats.AddClosed(closed);
    const std::string row = Close(stats).at(0);
    return row.substr(row.find("median"));
  };
  EXPECT_EQ(ranks(1), "median=1 p90=1 bounces=0");
  EXPECT_EQ(ranks(2), "median=1 p90=2 bounces=0");
  EXPECT_EQ(ranks(3), "median=2 p90=3 bounces=0");
  EXPECT_EQ(ranks(10), "median=5 p90=9 bounces=0");
  EXPECT_EQ(ranks(11), "median=6 p90=10 bounces=0");
}

TEST(SessionStatsTest, SpansRankTogetherWithOthersAsOneSortedList) {
  Random random(5);
  for (int round = 0; round < 5000; ++round) {
    Spans spans;
    std::vector<std::uint64_t> others;
    std::vector<std::uint64_t> all;
    const std::uint64_t n = 1 + random.Below(12);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t span = random.Below(8);
      all.push_back(span);
      random.Chance(0.5) ? spans.Add(span) : others.push_back(span);
    }
    std::sort(others.begin(), others.end());
    std::sort(all.begin(), all.end());
    for (const auto& [numerator, denominator] : {std::pair{1U, 2U}, {9U, 10U}, {1U, 1U}}) {
      std::size_t rank = 0;
      while (rank * denominator < n * numerator) ++rank;
      ASSERT_EQ(spans.Rank(others, numerator, denominator), all[rank - 1]);
    }
  }
}

TEST(SessionStatsTest, RestoredStateGoesOnAsIfItHadNeverStopped) {
  Random random(9);
  for (int round = 0; round < 300; ++round) {
    SessionStats straight({.size = 4 * kHour}, kHour);
    auto stats = std::make_unique<SessionStats>(SessionStatsRules{.size = 4 * kHour}, kHour);
    std::vector<std::string> parts;
    Micros watermark = -20 * kHour;
    for (int epoch = 0; epoch < 8; ++epoch) {
      std::vector<SessionFacts> closed;
      for (std::uint64_t i = random.Below(6); i > 0; --i) {
        const auto end = watermark - kHour + static_cast<Micros>(random.Below(9)) * kHour;
        closed.push_back(Closed(end - static_cast<Micros>(random.Below(7)), end,
                                1 + static_cast<std::int64_t>(random.Below(2))));
      }
      straight.AddClosed(closed);
      stats->AddClosed(closed);
      watermark += static_cast<Micros>(random.Below(6)) * kHour;
      ASSERT_EQ(Close(*stats, watermark), Close(straight, watermark));
      WireWriter out;
      if (parts.empty() || random.Chance(0.3)) {
        parts.clear();
        stats->WriteBase(out);
      } else {
        stats->WriteDelta(out);
      }
      parts.push_back(out.Take());
      if (!random.Chance(0.4)) continue;
      stats = std::make_unique<SessionStats>(SessionStatsRules{.size = 4 * kHour}, kHour);
      for (const std::string& part : parts) {
        WireReader in(part);
        ASSERT_TRUE(stats->Read(in).ok());
        ASSERT_TRUE(in.at_end());
      }
      Close(*stats, watermark);
    }
    ASSERT_EQ(Close(*stats), Close(straight));
  }
}

TEST(SessionStatsTest, DamagedStateIsRefusedOrHarmless) {
  SessionStats stats({.size = 10}, 5);
  const std::vector<SessionFacts> closed = {Closed(0, 9), Closed(3, 200), Closed(5, 5, 1)};
  stats.AddClosed(closed);
  WireWriter out;
  stats.WriteBase(out);
  Random random(4);
  for (std::size_t size = 0; size < out.size(); ++size) {
    SessionStats other({.size = 10}, 5);
    WireReader in(std::string_view(out.bytes()).substr(0, size));
    const Status status = other.Read(in);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kStateCorrupt);
  }
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = out.bytes();
    damaged[random.Below(damaged.size())] = static_cast<char>(random.Next());
    SessionStats other({.size = 10}, 5);
    WireReader in(damaged);
    refused += other.Read(in).ok() ? 0 : 1;
    Close(other);
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace weir::stream
