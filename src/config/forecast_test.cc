#include "config/forecast.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/retail_example.h"

namespace weir::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PipelineSpec Pipeline(const std::string& epoch, const std::string& tables) {
  ScriptedEnvironment environment;
  environment.files["/pipelines/retail_event.yaml"] = RetailContractText();
  auto outcome = ParsePipelineText(
      "pipeline: p\nsource: {spool: ./l, topic: t}\nstate: ./s\ncontract: retail_event.yaml\n"
      "lake: {warehouse: ./lake}\non_error: fail\nepoch: " +
          epoch + "\ntables:\n" + tables,
      "p.yaml", environment);
  EXPECT_TRUE(outcome.spec) << outcome.diagnostics.ToText();
  return outcome.spec.value_or(PipelineSpec());
}

TEST(ForecastTest, FilesAreEpochsTimesTablesTimesPartitions) {
  const PipelineSpec spec =
      Pipeline("{every: 1m}",
               "  a.plain: {from: valid}\n"
               "  a.days: {from: valid, partition_by: [day(event_time)]}\n"
               "  a.buckets: {from: valid, partition_by: [\"bucket(8, user_id)\"]}\n");
  const Forecast forecast = ForecastFiles(spec, std::nullopt);
  EXPECT_EQ(forecast.epochs, 1440);
  ASSERT_EQ(forecast.tables.size(), 3U);
  EXPECT_EQ(forecast.tables[0].steady_files, 1440);
  EXPECT_EQ(forecast.tables[1].steady_files, 1440);
  EXPECT_EQ(forecast.tables[1].worst_files, 7 * 1440);
  EXPECT_EQ(forecast.tables[2].steady_files, 8 * 1440);
  EXPECT_EQ(forecast.steady_files, 10 * 1440);
  EXPECT_EQ(forecast.worst_files, 16 * 1440);
}

TEST(ForecastTest, ClosedWindowsAreWrittenInTheirOwnRhythm) {
  const PipelineSpec spec = Pipeline("{every: 1s}\nwatermark: {delay: 10m}\nlate: count",
                                     "  a.events: {from: valid}\n"
                                     "  a.windows: {windows: {size: 5m}}\n"
                                     "  a.users: {active_users: {user: user_id}}\n"
                                     "  a.sessions: {sessions: {by: user_id, gap: 30m}}\n"
                                     "  a.stats: {session_stats: {size: 1h}}\n"
                                     "  a.funnel: {funnel: {steps: [search]}}\n");
  const Forecast forecast = ForecastFiles(spec, 1'000.0);
  EXPECT_EQ(forecast.tables[1].steady_files, 288);
  EXPECT_EQ(forecast.tables[1].worst_files, 86'400);
  EXPECT_EQ(forecast.tables[2].steady_files, 1'440);
  EXPECT_EQ(forecast.tables[3].steady_files, 2 * 10 * 86'400);
  EXPECT_TRUE(forecast.tables[3].guessed);
  EXPECT_EQ(forecast.tables[4].steady_files, 24);
  EXPECT_EQ(forecast.tables[5].steady_files, 86'400);
  EXPECT_EQ(forecast.rows_per_file, 1'000);
}

TEST(ForecastTest, AHighRateEndsEpochsByRows) {
  const PipelineSpec spec = Pipeline("{every: 1h, max_rows: 1_000_000}", "  a.b: {from: valid}\n");
  EXPECT_EQ(ForecastFiles(spec, std::nullopt).epochs, 24);
  EXPECT_EQ(ForecastFiles(spec, 1.0).epochs, 24);
  EXPECT_EQ(ForecastFiles(spec, 100'000.0).epochs, 8640);
  EXPECT_EQ(ForecastFiles(spec, 100'000.0).rows_per_file, 1'000'000);
}

TEST(ForecastTest, ValuesThatTheContractListsAreKnown) {
  const PipelineSpec spec = Pipeline("{every: 1d}",
                                     "  a.types: {from: valid, partition_by: [event_type]}\n"
                                     "  a.pages: {from: valid, partition_by: [page_url]}\n");
  const Forecast forecast = ForecastFiles(spec, std::nullopt);
  EXPECT_EQ(forecast.tables[0].steady_files, 7);
  EXPECT_FALSE(forecast.tables[0].guessed);
  EXPECT_EQ(forecast.tables[1].steady_files, 10);
  EXPECT_TRUE(forecast.tables[1].guessed);
}

TEST(ForecastTest, AbsurdNumbersDoNotOverflow) {
  const PipelineSpec spec =
      Pipeline("{every: 10ms}",
               "  a.b: {from: valid, partition_by: [\"bucket(1000000, user_id)\", "
               "\"bucket(1000000, event_id)\", \"bucket(1000000, session_id)\"]}\n");
  EXPECT_GT(ForecastFiles(spec, 1e300).steady_files, 0);
  EXPECT_GE(ForecastFiles(spec, 1e-300).rows_per_file, 0);
}

TEST(ForecastTest, IsSaidInAFewLines) {
  const PipelineSpec spec =
      Pipeline("{every: 1s}", "  silver.events: {from: valid, partition_by: [day(event_time)]}\n");
  EXPECT_THAT(
      ForecastLines(spec, ForecastFiles(spec, 5'000.0)),
      ElementsAre("Forecast: up to 86 400 data files a day at 5 000 events/s (86 400 epochs, "
                  "one every 1s)",
                  "  silver.events: 86 400 a day, by day(event_time)", "  about 5 000 rows a file",
                  "  at worst 604 800 a day: late events, or a backlog over 7 days",
                  HasSubstr("raise epoch.every")));
}

TEST(ForecastTest, ACalmPipelineGetsNoAdvice) {
  const PipelineSpec spec = Pipeline("{every: 10m}", "  a.b: {from: valid}\n");
  EXPECT_THAT(ForecastLines(spec, ForecastFiles(spec, std::nullopt)),
              ElementsAre("Forecast: up to 144 data files a day while events arrive (144 epochs, "
                          "one every 10m)",
                          "  a.b: 144 a day, not partitioned"));
}

}  // namespace
}  // namespace weir::config
