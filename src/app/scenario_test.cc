#include "app/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kHead = R"(name: x
why: y
contract: {name: c, event_time: time, fields: {id: string, time: {type: timestamp, required: true}}}
)";
constexpr std::string_view kPipeline =
    "pipeline: {on_error: fail, tables: {s.events: {from: valid}}}\n";
constexpr std::string_view kExpect = "ledger: {read: 0}\n";

Result<Scenario> Read(const std::string& text) {
  config::ScriptedEnvironment environment;
  environment.files["/pipelines/x.yaml"] = text;
  environment.files["/pipelines/job.yaml"] =
      "pipeline: job\nsource: {kafka: {brokers: '${NOT_SET:?x}', topic: t}}\nstate: s\n"
      "contract: gone.yaml\nlake: {warehouse: w}\non_error: fail\n"
      "tables: {s.events: {from: valid}}\n";
  return ReadScenario("x.yaml", environment);
}

std::string ErrorOf(const std::string& text) {
  const auto scenario = Read(text);
  return scenario ? "" : scenario.error().ToString();
}

std::string With(std::string_view more) {
  return std::string(kHead) + std::string(kPipeline) + std::string(kExpect) + std::string(more);
}

TEST(Scenario, NumbersTheRecordsOfEachPartition) {
  const auto scenario =
      Read(With("input: [{partition: 1, value: a}, {value: b}, "
                "{partition: 1, tombstone: true}]\n"));
  ASSERT_TRUE(scenario) << scenario.error().ToString();
  EXPECT_EQ(scenario->partitions, 2);
  std::vector<std::pair<int, std::int64_t>> places;
  for (const ScenarioStep& step : scenario->parts.at(0).steps) {
    const auto& record = std::get<ScenarioRecord>(step);
    places.emplace_back(record.partition.value(), record.offset.value());
  }
  EXPECT_THAT(places, ElementsAre(std::pair(1, 0), std::pair(0, 0), std::pair(1, 1)));
  EXPECT_FALSE(std::get<ScenarioRecord>(scenario->parts[0].steps[2]).value);
}

TEST(Scenario, WritesAMappingAsJson) {
  const auto scenario =
      Read(With("input: [{value: {a: 1.50, b: '2', c: x, d: null, e: [true], f: 007}}]\n"));
  ASSERT_TRUE(scenario) << scenario.error().ToString();
  EXPECT_EQ(std::get<ScenarioRecord>(scenario->parts[0].steps[0]).value,
            R"({"a": 1.50, "b": "2", "c": "x", "d": null, "e": [true], "f": "007"})");
}

TEST(Scenario, ReplacesSourceStateAndLakeOfAPipelineFile) {
  const auto scenario =
      Read(std::string(kHead) + "pipeline: job.yaml\ninput: []\n" + std::string(kExpect));
  ASSERT_TRUE(scenario) << scenario.error().ToString();
  EXPECT_EQ(scenario->parts[0].spec.name, "job");
  EXPECT_EQ(scenario->parts[0].spec.source.kind, config::SourceKind::kSpool);
}

TEST(Scenario, ARestartBeginsAPartAndMayChangeThePipeline) {
  const auto scenario =
      Read(With("input: [{value: a}, {restart: at_end}, {restart: {epoch: {max_rows: 7}}}]\n"
                "run: until_input_ends\n"));
  ASSERT_TRUE(scenario) << scenario.error().ToString();
  ASSERT_EQ(scenario->parts.size(), 3U);
  EXPECT_EQ(scenario->parts[0].end, PartEnd::kAtEnd);
  EXPECT_EQ(scenario->parts[1].end, PartEnd::kStopped);
  EXPECT_EQ(scenario->parts[2].spec.epoch.max_rows, 7);
}

TEST(Scenario, TheWallClockStaysWhereARecordSetIt) {
  const auto scenario =
      Read(With("clock: 1970-01-01T00:00:00Z\ninput: [{value: a}, "
                "{at: 1970-01-01T00:00:01Z, value: b}, {advance: 1s}, "
                "{value: c}]\n"));
  ASSERT_TRUE(scenario) << scenario.error().ToString();
  const auto& steps = scenario->parts[0].steps;
  EXPECT_EQ(std::get<ScenarioRecord>(steps[0]).wall, 0);
  EXPECT_EQ(std::get<ScenarioRecord>(steps[1]).wall, kMicrosPerSecond);
  EXPECT_EQ(std::get<ScenarioRecord>(steps[3]).wall, 2 * kMicrosPerSecond);
}

TEST(Scenario, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(ErrorOf(With("inptu: []\n")), HasSubstr("x.yaml:6: unknown key `inptu`"));
  EXPECT_THAT(ErrorOf(With("input: [{key: k}]\n")), HasSubstr("one of `value`"));
  EXPECT_THAT(ErrorOf(With("input: [{advance: 3}]\n")), HasSubstr("x.yaml:6"));
  EXPECT_THAT(ErrorOf(With("input: [{value: a}, {advance: 1s}]\n")), HasSubstr("until_input_ends"));
  EXPECT_THAT(ErrorOf(std::string(kHead) + std::string(kPipeline) + "input: []\n"),
              HasSubstr("nothing is expected"));
  EXPECT_THAT(ErrorOf(std::string(kHead) + "pipeline: {}\ninput: []\n" + std::string(kExpect)),
              HasSubstr("tables"));
}

}  // namespace
}  // namespace weir::app
