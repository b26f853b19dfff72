#include "app/scenario_run.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/scenario_plans.h"

namespace weir::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kScenario = R"(name: x
why: y
pipeline:
  watermark: {delay: 1m}
  tables: {s.raw: {from: source}, s.events: {from: valid, dedupe: {key: id}}, s.late: {from: late}}
  on_error: fail
contract:
  name: c
  event_time: time
  fields: {id: {type: string, required: true}, time: {type: timestamp, required: true}}
input:
  - {value: {id: a, time: "2026-09-01T10:10:00Z"}}
  - {partition: 1, value: {id: b, time: "2026-09-01T10:10:00Z"}}
  - {value: {id: a, time: "2026-09-01T10:10:00Z"}}
  - {partition: 1, value: {id: c, time: "2026-09-01T10:00:00Z"}}
ledger: {read: 4}
)";

class ScenarioRun : public testing::Test {
 protected:
  ScenarioRun() {
    config::ScriptedEnvironment environment;
    environment.files["/pipelines/x.yaml"] = std::string(kScenario);
    auto scenario = ReadScenario("x.yaml", environment);
    EXPECT_TRUE(scenario) << scenario.error().ToString();
    if (scenario) scenario_ = std::move(*scenario);
    plain_ = Run(PlainPlan());
  }

  RunOutcome Run(const RunPlan& plan) {
    auto outcome = RunScenario(scenario_, plan, plain_.calls);
    EXPECT_TRUE(outcome) << outcome.error().ToString();
    if (!outcome) return {};
    EXPECT_FALSE(outcome->error) << outcome->error->ToString();
    EXPECT_THAT(outcome->unproven, IsEmpty());
    return *outcome;
  }
  static std::vector<std::string> Ids(const RunOutcome& outcome, const std::string& table) {
    std::vector<std::string> ids;
    for (const auto& row : outcome.tables.at(table).rows) ids.push_back(row.at(0));
    std::ranges::sort(ids);
    return ids;
  }
  void ExpectTheTables(const RunOutcome& outcome) {
    EXPECT_EQ(outcome.tables.at("s.raw").rows.size(), 4U);
    EXPECT_THAT(Ids(outcome, "s.events"), ElementsAre("\"a\"", "\"b\""));
    EXPECT_THAT(Ids(outcome, "s.late"), ElementsAre("\"c\""));
    EXPECT_EQ(outcome.ledger.duplicate, 1);
  }

  Scenario scenario_;
  RunOutcome plain_;
};

TEST_F(ScenarioRun, FillsTheTables) {
  ExpectTheTables(plain_);
  EXPECT_EQ(plain_.processes, 1);
}

TEST_F(ScenarioRun, MayStartAProcessForEachRecord) {
  RunPlan plan = PlainPlan();
  plan.epoch_rows = 1;
  plan.restart_after_epoch = true;
  const RunOutcome outcome = Run(plan);
  ExpectTheTables(outcome);
  EXPECT_GE(outcome.processes, 4);
}

TEST_F(ScenarioRun, KillsProcesses) {
  int deaths = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RunPlan plan = PlainPlan();
    plan.kill_seed = seed;
    plan.epoch_rows = 2;
    const RunOutcome outcome = Run(plan);
    ExpectTheTables(outcome);
    EXPECT_EQ(outcome.processes, outcome.deaths + 1);
    deaths += outcome.deaths;
  }
  EXPECT_GT(deaths, 20);
}

TEST_F(ScenarioRun, ShufflesPartitions) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RunPlan plan = PlainPlan();
    plan.order_seed = seed;
    ExpectTheTables(Run(plan));
  }
}

TEST_F(ScenarioRun, PlansShuffleOnlyWhatHasNoPauses) {
  auto shuffles = [&] {
    return std::ranges::count_if(VariantPlans(scenario_),
                                 [](const RunPlan& plan) { return plan.order_seed.has_value(); });
  };
  EXPECT_GT(shuffles(), 0);
  scenario_.parts[0].steps.emplace(scenario_.parts[0].steps.begin(),
                                   std::in_place_type<ScenarioPause>);
  EXPECT_EQ(shuffles(), 0);
}

}  // namespace
}  // namespace weir::app
