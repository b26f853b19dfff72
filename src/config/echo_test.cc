#include "config/echo.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/retail_example.h"

namespace weir::config {
namespace {

using testing::HasSubstr;
using testing::Not;

PipelineSpec Load(const std::string& text, const std::string& path = "pipeline.yaml") {
  ScriptedEnvironment environment;
  environment.files["/pipelines/retail_event.yaml"] = RetailContractText();
  auto outcome = ParsePipelineText(text, path, environment);
  EXPECT_TRUE(outcome.spec) << outcome.diagnostics.ToText() << text;
  return outcome.spec.value_or(PipelineSpec());
}

const std::string kNested =
    "pipeline: shop\n"
    "source: {kafka: {brokers: \"b:1\", topic: t, start: 2026-11-01, options: {fetch.wait.max.ms: "
    "5}}}\n"
    "state: \"./a b/$${x}\"\n"
    "contract:\n"
    "  name: \"with: colon\"\n"
    "  event_type: kind\n"
    "  event_time: at\n"
    "  unknown_fields: reject\n"
    "  fields:\n"
    "    at: {type: timestamp, required: true, format: epoch_us, max: 2030-01-01T00:00:00Z}\n"
    "    kind: {type: string, allowed: [\"yes\", \"no\", \"null\", \"1\", \"\\n\", \"ü\", \"'\", "
    "\"a, b\"]}\n"
    "    tags: list<string>\n"
    "    lists: {type: list, items: {type: list<int>, required: true}}\n"
    "    deep: {type: map, value: {type: struct, fields: {x: {type: list, items: {type: struct, "
    "fields: {y: date}}}}}}\n"
    "    code: {type: string, pattern: '^\\d+\"$', doc: \"a # doc\", not_blank: true}\n"
    "    amount: {type: \"decimal(12,3)\", min: -1.5, max: 1000}\n"
    "    weight: {type: double, min: 0.5}\n"
    "    taken: {type: timestamp, from: ingestion}\n"
    "  event_types: {\"yes\": {needs: [code]}, \"no\": {}}\n"
    "lake: {warehouse: /lake, name: \"on\"}\n"
    "tables:\n"
    "  silver.events: {from: valid, partition_by: [day(at), \"bucket(4, code)\"], sort_by: [at], "
    "properties: {a: \"x: y\"}}\n"
    "  quarantine.events: {from: invalid, create: never}\n";

const std::string kEventTime =
    "pipeline: shop\n"
    "source: {spool: ./log, topic: t}\n"
    "state: ./state\n"
    "contract: retail_event.yaml\n"
    "lake: {warehouse: /lake}\n"
    "watermark: {delay: 10m, idle_after: 60s, max_future: 5m, on_silence: advance}\n"
    "late: count\n"
    "state_memory: 1GiB\n"
    "on_error: fail\n"
    "tables:\n"
    "  silver.events: {from: valid, dedupe: {key: [user_id, event_id], mode: compact}}\n"
    "  gold.windows: {windows: {size: 5m, offset: 1s, by: [event_type], aggregates: {z: count, "
    "password: sum(price), \"a: b\": count_distinct(user_id)}}}\n"
    "  gold.sessions: {sessions: {by: user_id, gap: 30m, split: hour, first: [browser]}}\n"
    "  gold.funnel: {funnel: {steps: [product_view, purchase]}}\n"
    "  gold.users: {active_users: {user: user_id}}\n"
    "  gold.stats: {session_stats: {size: 1h}}\n"
    "  ops.decisions: {from: decisions}\n";

TEST(EchoTest, EventTimeComesBackAsItWas) {
  const PipelineSpec first = Load(kEventTime);
  const PipelineSpec second = Load(Echo(first));
  EXPECT_EQ(second.watermark, first.watermark);
  EXPECT_EQ(second.count_late, first.count_late);
  EXPECT_EQ(second.state_memory_bytes, first.state_memory_bytes);
  ASSERT_EQ(second.tables.size(), first.tables.size());
  for (std::size_t i = 0; i < first.tables.size(); ++i) {
    const TableSpec& a = first.tables[i];
    const TableSpec& b = second.tables[i];
    EXPECT_EQ(a.from, b.from) << a.name;
    EXPECT_EQ(a.dedupe, b.dedupe);
    EXPECT_EQ(a.windows, b.windows);
    EXPECT_EQ(a.sessions, b.sessions);
    EXPECT_EQ(a.funnel, b.funnel);
    EXPECT_EQ(a.active_users, b.active_users);
    EXPECT_EQ(a.session_stats, b.session_stats);
    EXPECT_EQ(a.partition_by.size(), b.partition_by.size()) << a.name;
  }
}

TEST(EchoTest, ReadingItAgainGivesTheSame) {
  for (const std::string& text : {kNested, kEventTime, std::string(RetailPipelineText())}) {
    const PipelineSpec first = Load(text);
    const std::string echo = Echo(first);
    const PipelineSpec second = Load(echo, "/elsewhere/other.yaml");
    EXPECT_EQ(Echo(second), echo);
    EXPECT_EQ(second.text_hash, first.text_hash);
    EXPECT_EQ(second.state, first.state);
    ASSERT_EQ(second.contract.fields.size(), first.contract.fields.size());
    for (std::size_t i = 0; i < first.contract.fields.size(); ++i) {
      const ContractField& a = first.contract.fields[i];
      const ContractField& b = second.contract.fields[i];
      EXPECT_EQ(a.field, b.field) << a.field.name;
      EXPECT_EQ(a.allowed, b.allowed);
      EXPECT_EQ(a.pattern, b.pattern);
      EXPECT_EQ(a.min.has_value(), b.min.has_value());
    }
  }
}

TEST(EchoTest, ShowsDefaultsAndAbsolutePaths) {
  const std::string echo = Echo(Load(std::string(RetailPipelineText())));
  EXPECT_THAT(echo, HasSubstr("state: /pipelines/state\n"));
  EXPECT_THAT(echo, HasSubstr("spool: /pipelines/log\n"));
  EXPECT_THAT(echo, HasSubstr("sql: \"sqlite:/pipelines/lake/catalog.db\"\n"));
  EXPECT_THAT(echo, HasSubstr("max_rows: 2000000\n"));
  EXPECT_THAT(echo, HasSubstr("max_bytes: 512MiB\n"));
  EXPECT_THAT(echo, HasSubstr("memory: 256MiB\n"));
  EXPECT_THAT(echo, HasSubstr("start: earliest\n"));
  EXPECT_THAT(echo, HasSubstr("create: if_missing\n"));
  EXPECT_THAT(echo, Not(HasSubstr("***")));
}

TEST(EchoTest, TheHashFollowsMeaningNotSpelling) {
  const std::string text(RetailPipelineText());
  const std::string base = Load(text).text_hash;
  EXPECT_EQ(base.size(), 64U);
  EXPECT_EQ(Load("# a comment\n" + text + "memory: 256MiB\n").text_hash, base);
  EXPECT_NE(Load(text + "memory: 257MiB\n").text_hash, base);
}

}  // namespace
}  // namespace weir::config
