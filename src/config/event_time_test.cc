// Event time in the pipeline file: values, defaults, and the columns of its tables. What is refused
// stands in golden/.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/project_files.h"
#include "config/retail_example.h"
#include "config/table_columns.h"

namespace weir::config {
namespace {

using testing::ElementsAre;

constexpr Micros kMinute = 60 * kMicrosPerSecond;

PipelineSpec Load(const std::string& rest) {
  ScriptedEnvironment environment;
  environment.files["/pipelines/retail_event.yaml"] = RetailContractText();
  auto outcome = ParsePipelineText(
      "pipeline: shop\nsource: {spool: ./log, topic: t}\nstate: ./state\nlake: {warehouse: "
      "./lake}\n"
      "on_error: fail\n" +
          rest,
      "pipeline.yaml", environment);
  EXPECT_TRUE(outcome.spec) << outcome.diagnostics.ToText();
  return outcome.spec.value_or(PipelineSpec());
}

PipelineSpec Shop(const std::string& tables, const std::string& watermark = "{delay: 10m}") {
  return Load("contract: retail_event.yaml\nlate: count\nwatermark: " + watermark + "\ntables:\n" +
              tables);
}

TEST(EventTimeTest, TheWatermarkHoldsOnSilenceUnlessTold) {
  const PipelineSpec plain = Shop("  a.b: {from: valid}\n");
  WatermarkRules rules;
  rules.delay = 10 * kMinute;
  EXPECT_EQ(plain.watermark, rules);
  EXPECT_TRUE(plain.count_late);
  EXPECT_EQ(plain.state_memory_bytes, PipelineSpec().state_memory_bytes);
  const PipelineSpec all =
      Shop("  a.b: {from: valid}\n",
           "{delay: 0s, idle_after: 60s, max_future: 5m, on_silence: advance}");
  EXPECT_EQ(all.watermark, (WatermarkRules{.delay = 0,
                                           .idle_after = kMinute,
                                           .max_future = 5 * kMinute,
                                           .advance_on_silence = true}));
}

TEST(EventTimeTest, AKeyIsRememberedForTheDelayUnlessTold) {
  const PipelineSpec spec = Shop("  a.b: {from: valid, dedupe: {key: event_id}}\n");
  EXPECT_EQ(spec.tables[0].dedupe, (DedupeRules{.key = {"event_id"}, .horizon = 10 * kMinute}));
  const PipelineSpec zero =
      Shop("  a.b: {from: valid, dedupe: {key: [event_id], horizon: 0s, mode: compact}}\n");
  EXPECT_EQ(zero.tables[0].dedupe, (DedupeRules{.key = {"event_id"}, .compact = true}));
}

TEST(EventTimeTest, WindowsCountUnlessToldAndKeepTheOrderOfAggregates) {
  const PipelineSpec spec = Shop(
      "  a.plain: {windows: {size: 5m}}\n"
      "  a.more: {windows: {size: 1h, by: [event_type], aggregates: {z: sum(price), a: "
      "count}}}\n");
  ASSERT_EQ(spec.tables[0].windows->aggregates.size(), 1U);
  EXPECT_EQ(spec.tables[0].windows->aggregates[0].name, "count");
  EXPECT_EQ(spec.tables[0].from, TableFrom::kWindows);
  ASSERT_EQ(spec.tables[1].windows->aggregates.size(), 2U);
  EXPECT_EQ(spec.tables[1].windows->aggregates[0].name, "z");
  EXPECT_EQ(spec.tables[1].windows->aggregates[0].kind, AggregateKind::kSum);
}

TEST(EventTimeTest, SessionsFindTheUsualColumns) {
  const PipelineSpec spec = Shop("  a.b: {sessions: {by: user_id, gap: 30m}}\n");
  const TableSpec& table = spec.tables[0];
  SessionRules rules;
  rules.by = "user_id";
  rules.gap = 30 * kMinute;
  rules.page = "page_url";
  rules.value_event = "purchase";
  rules.price = "price";
  rules.quantity = "quantity";
  EXPECT_EQ(table.sessions, rules);
  ASSERT_EQ(table.partition_by.size(), 2U);
  EXPECT_EQ(table.partition_by[0].column, "is_open");
  EXPECT_EQ(table.partition_by[0].transform, "identity");
  EXPECT_EQ(table.partition_by[1].column, "source_partition");
}

TEST(EventTimeTest, SessionsDoWithoutTheUsualColumns) {
  const PipelineSpec spec = Load(
      "contract:\n"
      "  name: event\n"
      "  event_time: ts\n"
      "  fields: {user_id: {type: string, required: true}, ts: {type: timestamp, required: true}}\n"
      "watermark: {delay: 10m}\n"
      "late: count\n"
      "tables: {a.b: {sessions: {by: user_id, gap: 30m}}}\n");
  SessionRules rules;
  rules.by = "user_id";
  rules.gap = 30 * kMinute;
  EXPECT_EQ(spec.tables[0].sessions, rules);
}

TEST(EventTimeTest, EachKindOfTableHasItsColumns) {
  const PipelineSpec spec = Shop(
      "  a.windows: {windows: {size: 5m, by: event_type}}\n"
      "  a.sessions: {sessions: {by: user_id, gap: 30m}}\n"
      "  a.funnel: {funnel: {steps: [search, purchase]}}\n"
      "  a.users: {active_users: {user: user_id}}\n"
      "  a.stats: {session_stats: }\n"
      "  a.decisions: {from: decisions}\n");
  std::vector<std::string> firsts;
  std::vector<std::string> lasts;
  for (const TableSpec& table : spec.tables) {
    const Schema columns = TableColumns(spec, table);
    firsts.push_back(columns.fields.front().name);
    lasts.push_back(columns.fields.back().name);
  }
  EXPECT_THAT(firsts, ElementsAre("event_type", "user_id", "window_start", "minute", "window_start",
                                  "epoch"));
  EXPECT_THAT(lasts,
              ElementsAre("count", "source_partition", "is_final", "users_30m", "bounces", "time"));
  EXPECT_EQ(spec.tables[2].partition_by[0].column, "is_final");
  EXPECT_EQ(spec.tables[4].session_stats, SessionStatsRules());
}

}  // namespace
}  // namespace weir::config
