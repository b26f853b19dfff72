#include "generate/fault_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::generate {
namespace {

using ::testing::HasSubstr;

TEST(FaultPlan, ReadsAllFaults) {
  const Result<FaultPlan> plan = ParseFaults("late=2%:20m,dup=5%,bad=0.5%,tombstone=0.0001%");
  ASSERT_TRUE(plan) << plan.error().ToString();
  EXPECT_EQ(plan->late_ppm, 20'000U);
  EXPECT_EQ(plan->late_by, 1'200 * kMicrosPerSecond);
  EXPECT_EQ(plan->duplicate_ppm, 50'000U);
  EXPECT_EQ(plan->bad_ppm, 5'000U);
  EXPECT_EQ(plan->tombstone_ppm, 1U);
}

TEST(FaultPlan, TakesEveryUnitOfDelay) {
  EXPECT_EQ(ParseFaults("late=1%:45s")->late_by, 45 * kMicrosPerSecond);
  EXPECT_EQ(ParseFaults("late=1%:2h")->late_by, 7'200 * kMicrosPerSecond);
  EXPECT_EQ(ParseFaults("late=1%:3d")->late_by, 3 * kMicrosPerDay);
  EXPECT_EQ(ParseFaults("late=1%")->late_by, FaultPlan{}.late_by);
}

TEST(FaultPlan, EmptyTextPlantsNothing) { EXPECT_EQ(*ParseFaults(""), FaultPlan{}); }

TEST(FaultPlan, TextFormReadsBackEqual) {
  for (const char* text : {"", "late=2%:20m,dup=5%,bad=0.5%", "bad=100%", "tombstone=0.0103%",
                           "late=12.34%:90s", "late=1%:1d"}) {
    const Result<FaultPlan> plan = ParseFaults(text);
    ASSERT_TRUE(plan) << plan.error().ToString();
    EXPECT_EQ(ToString(*plan), text);
  }
}

struct WrongCase {
  const char* text;
  const char* says;
};

class FaultPlanRefuses : public ::testing::TestWithParam<WrongCase> {};

TEST_P(FaultPlanRefuses, NamesWhatIsWrong) {
  const Result<FaultPlan> plan = ParseFaults(GetParam().text);
  ASSERT_FALSE(plan) << GetParam().text;
  EXPECT_EQ(plan.error().code, ErrorCode::kUsage);
  EXPECT_EQ(plan.error().kind, ErrorKind::kInvalidInput);
  EXPECT_THAT(plan.error().message, HasSubstr(GetParam().says));
  EXPECT_THAT(plan.error().remedy, HasSubstr("late=2%:20m"));
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultPlanRefuses,
    ::testing::Values(
        WrongCase{"dupe=5%", "did you mean 'dup'?"},
        WrongCase{"latency=5%", "none of late, dup, bad, tombstone"},
        WrongCase{"dup", "dup needs a share"}, WrongCase{"dup=5", "not '5'"},
        WrongCase{"dup=%", "percentage"}, WrongCase{"dup=-1%", "percentage"},
        WrongCase{"dup=101%", "percentage"}, WrongCase{"dup=100.0001%", "percentage"},
        WrongCase{"dup=1.23456%", "four decimals"}, WrongCase{"dup=1.%", "percentage"},
        WrongCase{"dup=1.2.3%", "percentage"}, WrongCase{"dup=99999999999%", "percentage"},
        WrongCase{"dup=5%,dup=6%", "there twice"}, WrongCase{"dup=5%:20m", "takes no delay"},
        WrongCase{"late=5%:20", "like 20m"}, WrongCase{"late=5%:", "like 20m"},
        WrongCase{"late=5%:29s", "from 30s to 30d"}, WrongCase{"late=5%:31d", "from 30s to 30d"},
        WrongCase{"late=5%:-5m", "like 20m"}, WrongCase{"late=60%,dup=41%", "100%"},
        WrongCase{"dup=5%,", "none of"}, WrongCase{"dup=\x1b[2J%", "\\x1b"}));

}  // namespace
}  // namespace weir::generate
