#include "base/log.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::log {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { Configure(Level::kInfo, Format::kText); }

  template <typename Body>
  std::string Capture(Body body) {
    testing::internal::CaptureStderr();
    body();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(LogTest, TextLineHasTimeLevelMessageAndFields) {
  const std::string line = Capture([] {
    Info("epoch applied", {{"epoch", 12}, {"table", "retail.events"}, {"note", "two words"}});
  });
  EXPECT_THAT(line, MatchesRegex("[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\\.[0-9][0-9][0-9] info  "
                                 "epoch applied  epoch=12 table=retail.events "
                                 "note=\"two words\"\n"));
}

TEST_F(LogTest, TextLineWithoutFieldsEndsAfterTheMessage) {
  EXPECT_THAT(Capture([] { Error("stopped"); }), EndsWith(" error stopped\n"));
}

TEST_F(LogTest, TextValuesAreQuotedWhereTheyCouldBeMisread) {
  const std::string line = Capture([] {
    Warn("m", {{"empty", ""}, {"quote", "a\"b"}, {"equal", "a=b"}, {"slash", "a\\b c"}});
  });
  EXPECT_THAT(line, EndsWith(R"(  empty="" quote="a\"b" equal="a=b" slash="a\\b c")"
                             "\n"));
}

TEST_F(LogTest, JsonLineIsOneObject) {
  Configure(Level::kInfo, Format::kJson);
  const std::string line = Capture([] {
    Warn("say \"hi\"", {{"epoch", std::int64_t{12}}, {"path", "a\\b\nc"}});
  });
  EXPECT_THAT(line, StartsWith("{\"time\":\"2"));
  EXPECT_THAT(line, EndsWith("Z\",\"level\":\"warn\",\"message\":\"say \\\"hi\\\"\",\"epoch\":12,"
                             "\"path\":\"a\\\\b\\\\x0ac\"}\n"));
}

TEST_F(LogTest, WhatComesFromOutsideStaysOnOneHarmlessLine) {
  for (const Format format : {Format::kText, Format::kJson}) {
    Configure(Level::kInfo, format);
    const std::string line = Capture([] {
      Info("bad\nrecord\x1b[31m", {{"value", std::string(1 << 20, '\n') + "\xff"}});
    });
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
    EXPECT_LT(line.size(), 5'000U);
  }
}

TEST_F(LogTest, LinesBelowTheLevelAreNotWritten) {
  Configure(Level::kWarn, Format::kText);
  EXPECT_EQ(Capture([] {
              Debug("no");
              Info("no");
            }),
            "");
  EXPECT_THAT(Capture([] { Warn("yes"); }), HasSubstr("yes"));
  Configure(Level::kDebug, Format::kText);
  EXPECT_THAT(Capture([] { Debug("yes"); }), HasSubstr(" debug yes"));
}

TEST_F(LogTest, ADisplayTakesTheLinesUntilItGivesThemBack) {
  std::string taken;
  EXPECT_EQ(Capture([&] {
              Divert([&](std::string_view line) { taken += line; });
              Info("for the display");
              Divert({});
            }),
            "");
  EXPECT_THAT(taken, HasSubstr("for the display"));
  EXPECT_THAT(Capture([] { Info("back"); }), HasSubstr("back"));
}

TEST_F(LogTest, NothingGoesToStandardOutput) {
  testing::internal::CaptureStdout();
  Capture([] { Error("here"); });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Sampler, LetsABurstThroughAndCountsTheRest) {
  Sampler sampler(2, 1'000);
  EXPECT_TRUE(sampler.Admit(0));
  EXPECT_TRUE(sampler.Admit(1));
  EXPECT_EQ(sampler.suppressed(), 0);
  for (int i = 2; i < 102; ++i) EXPECT_FALSE(sampler.Admit(i));
  EXPECT_TRUE(sampler.Admit(1'000));
  EXPECT_EQ(sampler.suppressed(), 100);
  EXPECT_TRUE(sampler.Admit(1'001));
  EXPECT_EQ(sampler.suppressed(), 0);
}

}  // namespace
}  // namespace weir::log
