// The examples of event time: they are read without a complaint, and say what their READMEs say.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/echo.h"
#include "config/load.h"
#include "config/project_files.h"
#include "config/table_columns.h"

namespace weir::config {
namespace {

using testing::ElementsAre;

PipelineSpec LoadExample(const std::string& folder, const std::string& file,
                         const std::string& contract) {
  ScriptedEnvironment environment;
  environment.variables = {{"KAFKA_BOOTSTRAP", "localhost:9092"}};
  for (const std::string& name : {file, contract}) {
    environment.files["/pipelines/" + name] = ReadProjectFile("examples/" + folder + "/" + name);
  }
  auto outcome = LoadPipeline(file, environment);
  EXPECT_TRUE(outcome.spec) << outcome.diagnostics.ToText();
  EXPECT_EQ(outcome.diagnostics.warnings(), 0U);
  return outcome.spec.value_or(PipelineSpec());
}

std::vector<std::string> NamesOf(const PipelineSpec& spec) {
  std::vector<std::string> names;
  for (const TableSpec& table : spec.tables) names.push_back(table.name);
  return names;
}

// Without the source, which is where the two differ.
std::string TablesOf(const PipelineSpec& spec) {
  const std::string echo = Echo(spec);
  return echo.substr(echo.find("\nstate:"));
}

TEST(ExampleTest, TheMedallionJobHasItsTables) {
  const PipelineSpec spec = LoadExample("medallion", "pipeline.yaml", "shop_event.yaml");
  EXPECT_EQ(spec.source.topic, "clickstream.events");
  EXPECT_THAT(NamesOf(spec),
              ElementsAre("bronze.events", "silver.events", "quarantine.events", "late.events",
                          "gold.sessions", "gold.session_stats", "gold.funnel", "gold.active_users",
                          "gold.event_windows", "ops.decisions"));
  ASSERT_TRUE(spec.tables[4].sessions);
  EXPECT_EQ(spec.tables[4].sessions->gap, 1'800 * kMicrosPerSecond);
  EXPECT_EQ(spec.tables[4].sessions->page, "page_url");
}

TEST(ExampleTest, TheWindowsJobHasFourColumns) {
  const PipelineSpec spec = LoadExample("windows", "pipeline.yaml", "event.yaml");
  EXPECT_EQ(spec.source.topic, "events");
  EXPECT_EQ(spec.lake.name, "lakehouse");
  ASSERT_EQ(spec.tables[0].name, "gold.event_windows");
  std::vector<std::string> columns;
  for (const Field& field : TableColumns(spec, spec.tables[0]).fields) {
    columns.push_back(field.name + " " + ToString(field.type));
  }
  EXPECT_THAT(columns, ElementsAre("event string", "window_start timestamp", "window_end timestamp",
                                   "count long"));
}

TEST(ExampleTest, TheLocalJobsHaveTheSameTables) {
  const auto same = [](const std::string& folder, const std::string& contract) {
    const PipelineSpec kafka = LoadExample(folder, "pipeline.yaml", contract);
    const PipelineSpec local = LoadExample(folder, "local.yaml", contract);
    EXPECT_EQ(local.source.kind, SourceKind::kSpool);
    EXPECT_EQ(local.source.topic, kafka.source.topic);
    EXPECT_EQ(TablesOf(local), TablesOf(kafka)) << folder;
  };
  same("medallion", "shop_event.yaml");
  same("windows", "event.yaml");
}

}  // namespace
}  // namespace weir::config
