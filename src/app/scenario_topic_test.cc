#include "app/scenario_topic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/scenario_check.h"
#include "app/scenario_plans.h"
#include "app/scenario_run.h"
#include "base/scratch_folder.h"
#include "spool/spool.h"

namespace weir::app {
namespace {

using testing::IsEmpty;

// A partition falls silent, another one waits unread: what only the log itself can tell.
constexpr std::string_view kScenario = R"(name: x
why: y
run: until_input_ends
pipeline:
  watermark: {delay: 1m, idle_after: 1m}
  tables: {s.raw: {from: source}, s.events: {from: valid, dedupe: {key: id}}, s.late: {from: late},
           s.windows: {windows: {size: 5m}}}
  on_error: fail
contract:
  name: c
  event_time: time
  fields: {id: {type: string, required: true}, time: {type: timestamp, required: true}}
input:
  - {value: {id: a, time: "2026-09-01T10:10:00Z"}, key: k}
  - {partition: 1, value: {id: b, time: "2026-09-01T10:01:00Z"}}
  - {advance: 5m, backlog: true}
  - {partition: 1, value: {id: c, time: "2026-09-01T10:02:00Z"}}
  - {advance: 5m}
  - {tombstone: true}
  - {restart: true}
  - {value: {id: a, time: "2026-09-01T10:10:00Z"}}
ledger: {read: 5}
)";

class ScenarioTopicTest : public testing::Test {
 protected:
  ScenarioTopicTest() {
    config::ScriptedEnvironment environment;
    environment.files["/pipelines/x.yaml"] = std::string(kScenario);
    auto scenario = ReadScenario("x.yaml", environment);
    EXPECT_TRUE(scenario) << scenario.error().ToString();
    if (scenario) scenario_ = std::move(*scenario);
    log_.spool_path = folder_ / "log";
  }

  RunOutcome Run(const RunPlan& plan, std::int64_t calls = 0) {
    auto outcome = RunScenario(scenario_, plan, calls);
    EXPECT_TRUE(outcome) << outcome.error().ToString();
    return outcome ? *outcome : RunOutcome();
  }

  ScratchFolder folder_;
  config::SourceSpec log_;
  Scenario scenario_;
};

TEST_F(ScenarioTopicTest, GivesTheTablesOfMemory) {
  const RunOutcome plain = Run(PlainPlan());
  ASSERT_EQ(plain.ledger.duplicate, 1);
  auto plans = VariantPlans(scenario_);
  plans.push_back(PlainPlan());
  for (RunPlan& plan : plans) {
    plan.log = log_;
    EXPECT_THAT(CompareRuns(scenario_, plain, Run(plan, plain.calls)), IsEmpty()) << plan.name;
  }
}

TEST_F(ScenarioTopicTest, LeavesNoTopicBehind) {
  RunPlan plan = PlainPlan();
  plan.log = log_;
  Run(plan);
  auto spool = spool::Spool::Open(log_.spool_path);
  ASSERT_TRUE(spool);
  auto topics = (*spool)->ListTopics();
  ASSERT_TRUE(topics);
  EXPECT_THAT(*topics, IsEmpty());
}

TEST_F(ScenarioTopicTest, NoticesWhatWasNotPutThere) {
  auto topic = ScenarioTopic::Create(log_, scenario_.partitions);
  ASSERT_TRUE(topic) << topic.error().ToString();
  ScenarioRecord other = std::get<ScenarioRecord>(scenario_.parts[0].steps[0]);
  other.value = "another";
  ASSERT_TRUE((*topic)->Receive({&other}));
  ScenarioLog log(scenario_);
  ManualClock clock(scenario_.clock);
  ScenarioLife life;
  ScenarioSource schedule(log, {}, clock, life);
  ScenarioTopicSource source(schedule, **topic);
  ASSERT_TRUE(source.Describe());
  ASSERT_TRUE(source.Assign({{Partition(0), Offset(0)}, {Partition(1), Offset(0)}}));
  const auto batch = source.Poll(0, 10);
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().kind, ErrorKind::kInternal);
}

}  // namespace
}  // namespace weir::app
