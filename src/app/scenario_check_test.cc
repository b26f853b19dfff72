#include "app/scenario_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/diagnostic.h"

namespace weir::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A scenario that expects rows of table t, and a run that gave some.
class ScenarioCheck : public testing::Test {
 protected:
  ScenarioCheck() {
    scenario_.parts.resize(1);
    Schema& schema = outcome_.tables["t"].schema;
    schema.fields = {{.name = "a", .type = Type::Of(TypeKind::kInt), .doc = {}},
                     {.name = "b", .type = Type::Of(TypeKind::kString), .doc = {}},
                     {.name = "ingestion_time", .type = Type::Of(TypeKind::kTimestamp), .doc = {}}};
  }

  void Expect(std::string_view rows) {
    config::Diagnostics diagnostics;
    const auto node = config::ReadYaml(rows, "x.yaml", diagnostics);
    ASSERT_TRUE(node) << diagnostics.ToText();
    scenario_.tables["t"].rows = node->items;
  }
  void Add(std::string a, std::string b, std::string time = "1") {
    outcome_.tables["t"].rows.push_back({std::move(a), std::move(b), std::move(time)});
  }
  std::vector<std::string> Check() {
    auto findings = CheckExpected(scenario_, outcome_);
    EXPECT_TRUE(findings) << findings.error().ToString();
    return findings ? *findings : std::vector<std::string>();
  }

  Scenario scenario_;
  RunOutcome outcome_;
};

TEST_F(ScenarioCheck, OrderMakesNoDifference) {
  Expect("[{a: 2}, {a: 1}]");
  Add("1", "\"x\"");
  Add("2", "\"y\"");
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(ScenarioCheck, EqualRowsCountAsOftenAsTheyAreThere) {
  Expect("[{a: 1}, {a: 1}]");
  Add("1", "\"x\"");
  EXPECT_THAT(Check(), ElementsAre("t: 1 rows, expected 2", "  missing    {a: 1}"));
}

TEST_F(ScenarioCheck, ShowsWhatIsMissingAndWhatIsTooMuch) {
  Expect("[{a: 1, b: x}]");
  Add("1", "\"y\"");
  EXPECT_THAT(Check(), ElementsAre("t: 1 rows, expected 1", R"(  missing    {a: 1, b: "x"})",
                                   R"(  unexpected {a: 1, b: "y"})"));
}

TEST_F(ScenarioCheck, ARowThatNamesLessLeavesTheBetterFitToOthers) {
  Expect("[{a: 1}, {a: 1, b: x}]");
  Add("1", "\"x\"");
  Add("1", "\"y\"");
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(ScenarioCheck, AColumnThatIsNotThereIsAMistake) {
  Expect("[{c: 1}]");
  const auto findings = CheckExpected(scenario_, outcome_);
  ASSERT_FALSE(findings);
  EXPECT_THAT(findings.error().message, HasSubstr("no column `c`"));
}

TEST_F(ScenarioCheck, ExpectsTheErrorThatItNames) {
  scenario_.refuses = "WEIR0209";
  EXPECT_THAT(Check(), ElementsAre("it was not refused, expected WEIR0209"));
  outcome_.error = Refused("the gap changed", ErrorCode::kSpecChanged);
  EXPECT_THAT(Check(), IsEmpty());
  scenario_.refuses.clear();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("it ended with")));
}

TEST_F(ScenarioCheck, CountsTheLedger) {
  scenario_.ledger = {{"read", 2}, {"late", 1}};
  outcome_.ledger.read = 2;
  EXPECT_THAT(Check(), ElementsAre("ledger: 0 late, expected 1"));
}

TEST_F(ScenarioCheck, RunsMayDifferInTheIngestionTimeOnly) {
  Add("1", "\"x\"", "1");
  RunOutcome other = outcome_;
  other.tables["t"].rows[0][2] = "2";
  EXPECT_THAT(CompareRuns(scenario_, outcome_, other), IsEmpty());
  other.tables["t"].rows[0][1] = "\"y\"";
  EXPECT_THAT(CompareRuns(scenario_, outcome_, other),
              ElementsAre("t: the rows differ", R"(  only straight {a: 1, b: "x"})",
                          R"(  only here     {a: 1, b: "y"})"));
}

}  // namespace
}  // namespace weir::app
