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

TEST(EchoTest, ReadingItAgainGivesTheSame) {
  for (const std::string& text : {kNested, std::string(RetailPipelineText())}) {
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
