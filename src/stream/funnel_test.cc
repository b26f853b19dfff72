#include "stream/funnel.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace weir::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Micros kSecond = kMicrosPerSecond;
constexpr Micros kEnd = std::numeric_limits<Micros>::max();
using Facts = std::vector<SessionFacts>;

FunnelRules Rules(Micros size = 100 * kSecond) {
  return {.steps = {"view", "cart", "purchase"}, .size = size};
}

SessionFacts Session(Micros start, std::vector<Micros> steps) {
  const auto events = static_cast<std::int64_t>(steps.size()) + 1;
  return {
      .start = start, .end = start, .events = events, .step_times = ShortList<Micros, 6>(steps)};
}

std::string Number(const Column& column, std::size_t row) {
  return column.IsNull(row) ? "-" : fmt::to_string(column.Double(row));
}

std::vector<std::string> Texts(const Batch& out) {
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < out.rows(); ++row) {
    EXPECT_EQ(out.columns[1].Long(row) - out.columns[0].Long(row), 100 * kSecond);
    rows.push_back(fmt::format("{} {} {} n={} {} {} {}s {}", out.columns[0].Long(row) / kSecond,
                               out.columns[2].Int(row), out.columns[3].String(row),
                               out.columns[4].Long(row), Number(out.columns[5], row),
                               Number(out.columns[6], row), Number(out.columns[7], row),
                               out.columns[8].Boolean(row) ? "final" : "open"));
  }
  return rows;
}

struct CutRows {
  std::vector<std::string> last;
  std::vector<std::string> open;
  bool differ = false;
};

CutRows Cut(Funnel& funnel, Micros watermark, const Facts& open = {}) {
  const auto columns = std::make_shared<Schema>(FunnelColumns());
  Batch last(columns);
  Batch rows(columns);
  const bool differ = funnel.Cut(watermark, open, &last, &rows);
  return {Texts(last), Texts(rows), differ};
}

TEST(FunnelTest, CountsStepsConversionsAndTimesFromTheFirstStep) {
  Funnel funnel(Rules());
  funnel.AddClosed(Facts{Session(0, {0, 4 * kSecond, 9 * kSecond}), Session(0, {kSecond}),
                         Session(0, {kSecond, 2 * kSecond}), Session(0, {})});
  EXPECT_THAT(Cut(funnel, kEnd).last,
              ElementsAre("0 1 view n=3 1 1 0s final",
                          "0 2 cart n=2 0.6666666666666666 0.6666666666666666 1s final",
                          "0 3 purchase n=1 0.3333333333333333 0.5 9s final"));
}

TEST(FunnelTest, StepThatNobodyReachedHasNoTimeAndNoConversionFromNothing) {
  Funnel funnel(Rules());
  funnel.AddClosed(Facts{Session(0, {})});
  EXPECT_THAT(Cut(funnel, kEnd).last,
              ElementsAre("0 1 view n=0 - - -s final", "0 2 cart n=0 - - -s final",
                          "0 3 purchase n=0 - - -s final"));
}

TEST(FunnelTest, WindowIsThatOfTheStartBefore1970Too) {
  Funnel funnel(Rules());
  funnel.AddClosed(Facts{Session(-1, {}), Session(100 * kSecond, {}), Session(99 * kSecond, {})});
  EXPECT_THAT(Cut(funnel, kEnd).last,
              ElementsAre(HasSubstr("-100 1"), HasSubstr("-100 2"), HasSubstr("-100 3"),
                          HasSubstr("0 1"), HasSubstr("0 2"), HasSubstr("0 3"), HasSubstr("100 1"),
                          HasSubstr("100 2"), HasSubstr("100 3")));
}

TEST(FunnelTest, FinalWhenTheWatermarkHasPassedTheEndAndNoSessionIsOpenInIt) {
  Funnel funnel(Rules());
  funnel.AddClosed(Facts{Session(0, {0})});
  EXPECT_THAT(Cut(funnel, 100 * kSecond).last, IsEmpty()) << "reached is not passed";
  const CutRows held = Cut(funnel, 100 * kSecond + 1, {Session(5, {6})});
  EXPECT_THAT(held.last, IsEmpty());
  EXPECT_THAT(held.open, ElementsAre(HasSubstr("n=2"), HasSubstr("n=0"), HasSubstr("n=0")));
  // The open session was closed and now counts for good.
  funnel.AddClosed(Facts{Session(5, {6})});
  const CutRows done = Cut(funnel, 100 * kSecond + 1, {Session(101 * kSecond, {})});
  EXPECT_THAT(done.last,
              ElementsAre("0 1 view n=2 1 1 0s final", HasSubstr("n=0"), HasSubstr("n=0")));
  EXPECT_THAT(done.open, SizeIs(3));
  EXPECT_THAT(Cut(funnel, kEnd).last, IsEmpty());
}

TEST(FunnelTest, SaysWhetherOpenRowsDiffer) {
  Funnel funnel(Rules());
  EXPECT_FALSE(Cut(funnel, 0).differ);
  EXPECT_TRUE(Cut(funnel, 0, {Session(0, {1})}).differ);
  EXPECT_FALSE(Cut(funnel, 0, {Session(3, {4})}).differ) << "the rows are the same";
  funnel.AddClosed(Facts{Session(0, {1})});
  EXPECT_FALSE(Cut(funnel, 0).differ) << "closed instead of open";
  EXPECT_TRUE(Cut(funnel, kEnd).differ) << "now they are final";
}

// What rows there must be, computed from all sessions at once.
std::vector<std::string> Naive(const Facts& closed, const Facts& open, Micros watermark,
                               bool want_final) {
  std::map<std::int64_t, Facts> windows;
  std::map<std::int64_t, bool> held;
  for (const SessionFacts& session : closed) {
    std::int64_t window = session.start / (100 * kSecond);
    if (window * 100 * kSecond > session.start) --window;
    windows[window].push_back(session);
  }
  for (const SessionFacts& session : open) {
    std::int64_t window = session.start / (100 * kSecond);
    if (window * 100 * kSecond > session.start) --window;
    windows[window].push_back(session);
    held[window] = true;
  }
  const std::vector<std::string> steps = {"view", "cart", "purchase"};
  std::vector<std::string> rows;
  for (const auto& [window, sessions] : windows) {
    const bool last = watermark > (window + 1) * 100 * kSecond && !held[window];
    if (last != want_final) continue;
    std::vector<double> reached;
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<Micros> times;
      for (const SessionFacts& session : sessions) {
        if (session.step_times.size() > k) {
          times.push_back(session.step_times[k] - session.step_times[0]);
        }
      }
      std::sort(times.begin(), times.end());
      reached.push_back(static_cast<double>(times.size()));
      const auto ratio = [&](double whole) {
        return whole == 0 ? "-" : fmt::to_string(reached[k] / whole);
      };
      const std::string median =
          times.empty() ? "-"
                        : fmt::to_string(static_cast<double>(times[(times.size() + 1) / 2 - 1]) /
                                         static_cast<double>(kSecond));
      rows.push_back(fmt::format(
          "{} {} {} n={} {} {} {}s {}", window * 100, k + 1, steps[k], times.size(),
          ratio(reached[0]), ratio(reached[k == 0 ? 0 : k - 1]), median, last ? "final" : "open"));
    }
  }
  return rows;
}

SessionFacts RandomSession(Random& random, Micros from) {
  const Micros start = from + static_cast<Micros>(random.Below(250)) * kSecond;
  std::vector<Micros> steps;
  Micros time = start;
  for (std::uint64_t k = random.Below(4); k > 0; --k) {
    time += static_cast<Micros>(random.Below(30)) * kSecond;
    steps.push_back(time);
  }
  return Session(start, steps);
}

TEST(FunnelTest, RandomCutsAndRestartsEqualANaiveComputation) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    auto funnel = std::make_unique<Funnel>(Rules());
    Facts closed;
    Facts open;
    std::vector<std::string> parts;
    std::vector<std::string> finals;
    Micros watermark = -300 * kSecond;
    for (int epoch = 0; epoch < 10; ++epoch) {
      for (std::uint64_t i = random.Below(5); i > 0; --i) {
        open.push_back(RandomSession(random, watermark));
      }
      Facts now;
      std::erase_if(open, [&](const SessionFacts& session) {
        if (!random.Chance(0.4)) return false;
        now.push_back(session);
        return true;
      });
      funnel->AddClosed(now);
      closed.insert(closed.end(), now.begin(), now.end());
      watermark += static_cast<Micros>(random.Below(120)) * kSecond;
      // A session that is open later must not start behind what is final: its window is held or
      // ahead, as the pipeline sees to.
      const CutRows cut = Cut(*funnel, watermark, open);
      finals.insert(finals.end(), cut.last.begin(), cut.last.end());
      ASSERT_EQ(cut.open, Naive(closed, open, watermark, false));
      WireWriter out;
      if (parts.empty() || random.Chance(0.3)) {
        parts.clear();
        funnel->WriteBase(out);
      } else {
        funnel->WriteDelta(out);
      }
      parts.push_back(out.Take());
      if (!random.Chance(0.4)) continue;
      funnel = std::make_unique<Funnel>(Rules());
      for (const std::string& part : parts) {
        WireReader in(part);
        ASSERT_TRUE(funnel->Read(in).ok());
        ASSERT_TRUE(in.at_end());
      }
      Cut(*funnel, watermark, open);
    }
    std::vector<std::string> want = Naive(closed, open, watermark, true);
    std::sort(want.begin(), want.end());
    std::sort(finals.begin(), finals.end());
    ASSERT_EQ(finals, want);
  }
}

TEST(FunnelTest, DamagedStateIsRefusedOrHarmless) {
  Funnel funnel(Rules());
  funnel.AddClosed(Facts{Session(0, {0, 4, 9}), Session(0, {kSecond}), Session(-5, {1, 2})});
  WireWriter delta;
  WireWriter base;
  funnel.WriteDelta(delta);
  funnel.WriteBase(base);
  Random random(4);
  for (const std::string& state : {delta.bytes(), base.bytes()}) {
    for (std::size_t size = 0; size < state.size(); ++size) {
      Funnel other(Rules());
      WireReader in(std::string_view(state).substr(0, size));
      const Status status = other.Read(in);
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().code, ErrorCode::kStateCorrupt);
    }
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
      std::string damaged = state;
      damaged[random.Below(damaged.size())] = static_cast<char>(random.Next());
      Funnel other(Rules(1));
      WireReader in(damaged);
      refused += other.Read(in).ok() ? 0 : 1;
      const auto columns = std::make_shared<Schema>(FunnelColumns());
      Batch last(columns);
      Batch rows(columns);
      other.Cut(kEnd, {}, &last, &rows);
    }
    EXPECT_GT(refused, 300);
  }
  Funnel shorter({.steps = {"view"}, .size = 100 * kSecond});
  WireReader in(base.bytes());
  EXPECT_FALSE(shorter.Read(in).ok()) << "the state is of three steps";
}

}  // namespace
}  // namespace weir::stream
