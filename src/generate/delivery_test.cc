#include "generate/delivery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::generate {
namespace {

// Notes when each record came; can take time for it, and fail.
class RecordingSink final : public connect::LogSink {
 public:
  explicit RecordingSink(ManualClock& clock) : clock_(clock) {}

  Status Produce(const connect::OutgoingRecord& record) override {
    if (times.size() == fail_at) return Unavailable("away", ErrorCode::kProduceFailed);
    times.push_back(clock_.Monotonic());
    keys.emplace_back(*record.key);
    timestamp_ms = record.timestamp_ms;
    ++unflushed;
    if (times.size() == slow_at) clock_.Advance(slow_for);
    if (times.size() == stop_at) stop.request_stop();
    return Ok();
  }
  Status Flush() override {
    ++flushes;
    unflushed = 0;
    return Ok();
  }

  std::vector<Micros> times;
  std::vector<std::string> keys;
  std::int64_t timestamp_ms = 0;  // of the last one
  std::size_t unflushed = 0;
  int flushes = 0;
  std::size_t fail_at = SIZE_MAX;
  std::size_t slow_at = SIZE_MAX;
  Micros slow_for = 0;
  std::stop_source stop;
  std::size_t stop_at = SIZE_MAX;

 private:
  ManualClock& clock_;
};

class DeliveryTest : public ::testing::Test {
 protected:
  std::unique_ptr<Generator> Make(std::optional<std::uint64_t> count,
                                  std::optional<std::uint64_t> rate) {
    GeneratorOptions options;
    options.count = count;
    options.rate = rate;
    return std::move(Generator::Make(options, clock_.Now())).value();
  }

  ManualClock clock_{kDefaultStart};
  RecordingSink sink_{clock_};
};

TEST_F(DeliveryTest, WithoutARateSendsAllAndFlushes) {
  auto generator = Make(5'000, std::nullopt);
  AnswerKeyBuilder key(*generator);
  const auto done = Deliver(*generator, sink_, {.key = &key}, clock_);
  ASSERT_TRUE(done) << done.error().ToString();
  EXPECT_EQ(done->records, 5'000U);
  EXPECT_EQ(sink_.times.size(), 5'000U);
  EXPECT_EQ(sink_.unflushed, 0U);
  EXPECT_EQ(key.Build().records, 5'000);
  EXPECT_GT(done->bytes, 5'000U * 400);
}

TEST_F(DeliveryTest, PacesSmoothlyAndDoesNotDrift) {
  auto generator = Make(100'000, 5'000);
  const auto done = Deliver(*generator, sink_, {}, clock_);
  ASSERT_TRUE(done) << done.error().ToString();
  ASSERT_EQ(sink_.times.size(), 100'000U);
  for (std::size_t i = 0; i < sink_.times.size(); ++i) {
    const auto due = static_cast<Micros>(i) * 200;
    ASSERT_GE(sink_.times[i], due);
    ASSERT_LE(sink_.times[i], due + 5 * kMicrosPerMilli);
  }
  EXPECT_GT(sink_.flushes, 300);  // what was sent is seen within a fraction of a second
}

TEST_F(DeliveryTest, CatchesUpAfterASlowSink) {
  sink_.slow_at = 1'000;
  sink_.slow_for = 3 * kMicrosPerSecond;
  auto generator = Make(10'000, 1'000);
  ASSERT_TRUE(Deliver(*generator, sink_, {}, clock_));
  EXPECT_GE(sink_.times[1'000], 4 * kMicrosPerSecond - kMicrosPerMilli);
  EXPECT_LE(sink_.times[3'900], 4 * kMicrosPerSecond + 10 * kMicrosPerMilli);
  EXPECT_LE(sink_.times.back(), 10 * kMicrosPerSecond + 10 * kMicrosPerMilli);
}

TEST_F(DeliveryTest, SlowRateSendsOneRecordAtATime) {
  auto generator = Make(5, 1);
  ASSERT_TRUE(Deliver(*generator, sink_, {}, clock_));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(static_cast<double>(sink_.times[i]),
                static_cast<double>(i) * static_cast<double>(kMicrosPerSecond), 50'000.0);
  }
}

TEST_F(DeliveryTest, WallClockJumpsDoNotDisturbThePace) {
  auto generator = Make(2'000, 1'000);
  int reports = 0;
  const auto done = Deliver(*generator, sink_,
                            {.progress =
                                 [&](const DeliveryProgress&) {
                                   clock_.SetWall(++reports % 2 == 0 ? 0 : kDefaultStart * 2);
                                 }},
                            clock_);
  ASSERT_TRUE(done);
  EXPECT_LE(done->elapsed, 2'010 * kMicrosPerMilli);
}

TEST_F(DeliveryTest, StopEndsEndlessDeliveryAndFlushes) {
  for (const auto rate : {std::optional<std::uint64_t>(1'000), std::optional<std::uint64_t>()}) {
    sink_.stop = std::stop_source();
    sink_.stop_at = sink_.times.size() + 777;
    const std::size_t before = sink_.times.size();
    auto generator = Make(rate ? std::nullopt : std::optional<std::uint64_t>(1'000'000), rate);
    const auto done = Deliver(*generator, sink_, {.stop = sink_.stop.get_token()}, clock_);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->records, 777U);
    EXPECT_EQ(sink_.times.size(), before + 777);
    EXPECT_EQ(sink_.unflushed, 0U);
  }
}

TEST_F(DeliveryTest, KeyCountsOnlyWhatTheSinkTook) {
  sink_.fail_at = 123;
  auto generator = Make(5'000, std::nullopt);
  AnswerKeyBuilder key(*generator);
  const auto done = Deliver(*generator, sink_, {.key = &key}, clock_);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kProduceFailed);
  EXPECT_EQ(key.Build().records, 123);
}

TEST_F(DeliveryTest, TimestampsAreRealUnlessTheShopsAreKept) {
  auto generator = Make(1, std::nullopt);
  ASSERT_TRUE(Deliver(*generator, sink_, {}, clock_));
  EXPECT_EQ(sink_.timestamp_ms, -1);
  generator = Make(1, std::nullopt);
  ASSERT_TRUE(Deliver(*generator, sink_, {.keep_times = true}, clock_));
  EXPECT_NEAR(static_cast<double>(sink_.timestamp_ms),
              static_cast<double>(kDefaultStart) / kMicrosPerMilli, 1'000.0);
}

TEST_F(DeliveryTest, ReportsProgressAFewTimesASecond) {
  auto generator = Make(20'000, 2'000);
  std::vector<DeliveryProgress> reports;
  ASSERT_TRUE(Deliver(*generator, sink_,
                      {.progress = [&](const DeliveryProgress& p) { reports.push_back(p); }},
                      clock_));
  ASSERT_GE(reports.size(), 35U);
  EXPECT_LE(reports.size(), 45U);
  EXPECT_EQ(reports.back().records, 20'000U);
  EXPECT_NEAR(static_cast<double>(reports.back().event_time),
              static_cast<double>(kDefaultStart + 10 * kMicrosPerSecond), 10'000.0);
}

}  // namespace
}  // namespace weir::generate
