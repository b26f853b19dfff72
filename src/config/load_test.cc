#include "config/load.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "config/project_files.h"
#include "config/retail_example.h"

namespace weir::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ScriptedEnvironment RetailEnvironment() {
  ScriptedEnvironment environment;
  environment.variables = {{"KAFKA_BOOTSTRAP", "localhost:9092"},
                           {"KAFKA_TOPIC", "retail-clickstream-events"},
                           {"WEIR_STATE", "/var/lib/weir/retail"}};
  environment.files["/pipelines/retail_event.yaml"] = RetailContractText();
  environment.files["/pipelines/retail.yaml"] = ReadProjectFile("examples/retail/retail.yaml");
  return environment;
}

PipelineSpec Load(const std::string& text) {
  ScriptedEnvironment environment = RetailEnvironment();
  auto outcome = ParsePipelineText(text, "conf/../pipeline.yaml", environment);
  EXPECT_TRUE(outcome.spec) << outcome.diagnostics.ToText();
  return outcome.spec.value_or(PipelineSpec());
}

constexpr const char* kSmall =
    "pipeline: shop\n"
    "source: {spool: ./log, topic: events}\n"
    "state: state/\n"
    "contract: retail_event.yaml\n"
    "lake: {warehouse: ../lake}\n"
    "tables:\n"
    "  silver.events: {from: valid}\n"
    "  quarantine.events: {from: invalid}\n";

TEST(LoadTest, DefaultsAreThoseOfTheSpec) {
  const PipelineSpec spec = Load(kSmall);
  const PipelineSpec defaults;
  EXPECT_EQ(spec.epoch.every, defaults.epoch.every);
  EXPECT_FALSE(spec.metrics);
  EXPECT_EQ(spec.epoch.max_rows, defaults.epoch.max_rows);
  EXPECT_EQ(spec.epoch.max_bytes, defaults.epoch.max_bytes);
  EXPECT_EQ(spec.on_error, defaults.on_error);
  EXPECT_EQ(spec.memory_bytes, defaults.memory_bytes);
  EXPECT_EQ(spec.lake.name, defaults.lake.name);
  EXPECT_EQ(spec.lake.format, defaults.lake.format);
  EXPECT_EQ(spec.lake.catalog, defaults.lake.catalog);
  EXPECT_EQ(spec.source.start, defaults.source.start);
  const TableSpec table_defaults;
  ASSERT_EQ(spec.tables.size(), 2U);
  EXPECT_EQ(spec.tables[0].create, table_defaults.create);
  EXPECT_EQ(spec.tables[0].coordinates, table_defaults.coordinates);
  EXPECT_EQ(spec.tables[0].expire_after, table_defaults.expire_after);
  EXPECT_EQ(spec.tables[0].keep_snapshots, table_defaults.keep_snapshots);
}

// Also when the mapping that holds them is there but empty.
TEST(LoadTest, AnEmptyMappingHasItsDefaults) {
  const PipelineSpec spec = Load(std::string(kSmall) + "epoch:\n");
  EXPECT_EQ(spec.epoch.every, EpochSpec().every);
  EXPECT_EQ(spec.epoch.max_bytes, EpochSpec().max_bytes);
}

TEST(LoadTest, MetricsAreOnLoopbackUnlessTold) {
  const PipelineSpec spec = Load(std::string(kSmall) + "metrics: {}\n");
  ASSERT_TRUE(spec.metrics);
  EXPECT_EQ(spec.metrics->host, "127.0.0.1");
  EXPECT_EQ(spec.metrics->port, 9464);
}

TEST(LoadTest, MetricsMayListenAtIpv6) {
  const PipelineSpec spec = Load(std::string(kSmall) + "metrics: {listen: \"[::1]:9470\"}\n");
  ASSERT_TRUE(spec.metrics);
  EXPECT_EQ(spec.metrics->host, "::1");
  EXPECT_EQ(spec.metrics->port, 9470);
}

TEST(LoadTest, PathsCountFromTheFolderOfTheFile) {
  const PipelineSpec spec = Load(kSmall);
  EXPECT_EQ(spec.file, "/pipelines/pipeline.yaml");
  EXPECT_EQ(spec.source.spool_path, "/pipelines/log");
  EXPECT_EQ(spec.state, "/pipelines/state");
  EXPECT_EQ(spec.lake.warehouse, "/lake");
  EXPECT_EQ(spec.lake.catalog_path, "/lake/catalog.db");
}

TEST(LoadTest, ReadsEveryKey) {
  const PipelineSpec spec = Load(
      "pipeline: shop.v2\n"
      "source:\n"
      "  kafka:\n"
      "    brokers: kafka-1:9092, [::1]:9093\n"
      "    topic: events\n"
      "    group: shop-lag\n"
      "    start: 2026-11-01T00:00:00Z\n"
      "    security: {protocol: sasl_ssl, mechanism: scram-sha-512, username: weir, password: p, "
      "ca: ca.pem}\n"
      "    options: {fetch.wait.max.ms: 50, check.crcs: true, isolation.level: READ_UNCOMMITTED}\n"
      "state: ./state\n"
      "contract: retail_event.yaml\n"
      "lake: {name: lakehouse, warehouse: /lake, format: iceberg, catalog: {folder: true}}\n"
      "epoch: {every: 500ms, max_rows: 10_000, max_bytes: 1MiB}\n"
      "tables:\n"
      "  bronze.events: {from: source, partition_by: day(ingestion_time), expire_after: 2d}\n"
      "  lakehouse.silver.events:\n"
      "    from: valid\n"
      "    create: never\n"
      "    partition_by: [day(event_time), \"bucket(16, user_id)\"]\n"
      "    sort_by: [user_id, event_time]\n"
      "    coordinates: false\n"
      "    expire_after: 1h\n"
      "    keep_snapshots: 7\n"
      "    properties: {write.parquet.compression-level: 5, owner: shop}\n"
      "on_error: fail\n"
      "memory: 1GiB\n");
  EXPECT_EQ(spec.name, "shop.v2");
  EXPECT_EQ(spec.source.kind, SourceKind::kKafka);
  EXPECT_EQ(spec.source.brokers, "kafka-1:9092,[::1]:9093");
  EXPECT_EQ(spec.source.topic, "events");
  EXPECT_EQ(spec.source.group, "shop-lag");
  EXPECT_EQ(spec.source.start, StartKind::kTimestamp);
  EXPECT_EQ(spec.source.start_ms, 1'793'491'200'000);
  EXPECT_THAT(
      spec.source.options,
      ElementsAre(testing::Pair("check.crcs", "true"), testing::Pair("fetch.wait.max.ms", "50"),
                  testing::Pair("isolation.level", "read_uncommitted"),
                  testing::Pair("sasl.mechanism", "SCRAM-SHA-512"),
                  testing::Pair("sasl.password", "p"), testing::Pair("sasl.username", "weir"),
                  testing::Pair("security.protocol", "sasl_ssl"),
                  testing::Pair("ssl.ca.location", "/pipelines/ca.pem")));
  EXPECT_THAT(spec.source.secret_options, ElementsAre("sasl.password"));
  EXPECT_EQ(spec.lake.name, "lakehouse");
  EXPECT_EQ(spec.lake.catalog, CatalogKind::kFolder);
  EXPECT_EQ(spec.epoch.every, 500 * kMicrosPerMilli);
  EXPECT_EQ(spec.epoch.max_rows, 10'000);
  EXPECT_EQ(spec.epoch.max_bytes, 1 << 20);
  EXPECT_EQ(spec.on_error, OnError::kFail);
  EXPECT_EQ(spec.memory_bytes, 1LL << 30);
  ASSERT_EQ(spec.tables.size(), 2U);
  EXPECT_EQ(spec.tables[0].from, TableFrom::kSource);
  EXPECT_EQ(spec.tables[0].expire_after, 2 * kMicrosPerDay);
  ASSERT_EQ(spec.tables[0].partition_by.size(), 1U);
  const TableSpec& silver = spec.tables[1];
  EXPECT_EQ(silver.name, "lakehouse.silver.events");
  EXPECT_EQ(silver.create, CreateMode::kNever);
  ASSERT_EQ(silver.partition_by.size(), 2U);
  EXPECT_EQ(silver.partition_by[1].transform, "bucket");
  EXPECT_EQ(silver.partition_by[1].width, 16);
  EXPECT_THAT(silver.sort_by, ElementsAre("user_id", "event_time"));
  EXPECT_FALSE(silver.coordinates);
  EXPECT_EQ(silver.keep_snapshots, 7);
  EXPECT_EQ(silver.properties.at("write.parquet.compression-level"), "5");
}

TEST(LoadTest, TheGroupFollowsThePipeline) {
  auto outcome = LoadPipeline("retail.yaml", RetailEnvironment());
  ASSERT_TRUE(outcome.spec) << outcome.diagnostics.ToText();
  EXPECT_EQ(outcome.spec->source.group, "weir-retail");
}

TEST(LoadTest, QuarantineTableIsFineWithFail) {
  EXPECT_EQ(Load(std::string(kSmall) + "on_error: fail\n").on_error, OnError::kFail);
}

TEST(LoadTest, AMissingFileIsReported) {
  const auto outcome = LoadPipeline("none.yaml", RetailEnvironment());
  EXPECT_FALSE(outcome.spec);
  EXPECT_EQ(outcome.diagnostics.Sorted()[0].code, ErrorCode::kFileUnreadable);
  EXPECT_EQ(outcome.diagnostics.Sorted()[0].place.file, "none.yaml");
}

TEST(LoadTest, RequiredVariablesAreNamedWhetherUnsetOrBlank) {
  for (const char* name : {"KAFKA_BOOTSTRAP", "KAFKA_TOPIC", "WEIR_STATE"}) {
    for (const bool blank : {false, true}) {
      ScriptedEnvironment environment = RetailEnvironment();
      environment.variables.erase(name);
      if (blank) environment.variables[name] = " ";
      const auto outcome = LoadPipeline("retail.yaml", environment);
      EXPECT_FALSE(outcome.spec);
      ASSERT_EQ(outcome.diagnostics.errors(), 1U) << outcome.diagnostics.ToText();
      const Diagnostic error = outcome.diagnostics.Sorted()[0];
      EXPECT_EQ(error.code, ErrorCode::kMissingVariable);
      EXPECT_THAT(error.message, HasSubstr(name));
      EXPECT_EQ(FindError(error.code)->exit_code, exit_code::kConfig);
    }
  }
}

TEST(LoadTest, ContractTypesAreRead) {
  const PipelineSpec spec = Load(
      "pipeline: shop\n"
      "source: {spool: ./log, topic: events}\n"
      "state: ./state\n"
      "contract:\n"
      "  name: nested\n"
      "  version: 3\n"
      "  unknown_fields: keep\n"
      "  unknown_column: rest\n"
      "  event_time: at\n"
      "  fields:\n"
      "    at: {type: timestamp, required: true, format: epoch_ms, min: 2020-01-01}\n"
      "    seen: {type: timestamp, assume_utc: true}\n"
      "    tags: list<string>\n"
      "    props: {type: map, key: string, value: \"decimal(10,2)\"}\n"
      "    place: {type: struct, doc: where, fields: {lat: double, lon: {type: double, required: "
      "true}}}\n"
      "    lines: {type: list, items: {type: struct, required: true, fields: {sku: string, n: "
      "int}}}\n"
      "    code: {type: string, pattern: '[A-Z]{3}$', allowed: ABC}\n"
      "lake: {warehouse: ./lake}\n"
      "tables: {a.b: {from: valid}}\n"
      "on_error: fail\n");
  const Contract& contract = spec.contract;
  EXPECT_EQ(contract.version, 3);
  EXPECT_EQ(contract.unknown_fields, UnknownFields::kKeep);
  EXPECT_EQ(contract.unknown_column, "rest");
  ASSERT_EQ(contract.fields.size(), 7U);
  EXPECT_EQ(contract.fields[0].timestamp_format, TimestampFormat::kEpochMillis);
  EXPECT_TRUE(contract.fields[0].min->number == Int128{DayOf(2020, 1, 1)} * kMicrosPerDay);
  EXPECT_TRUE(contract.fields[1].assume_utc);
  EXPECT_EQ(ToString(contract.fields[3].field.type), "map<string, decimal(10,2)>");
  EXPECT_EQ(ToString(contract.fields[4].field.type), "struct<lat: double, lon: double>");
  EXPECT_TRUE(contract.fields[4].field.type.children[1].required);
  EXPECT_EQ(contract.fields[4].field.doc, "where");
  EXPECT_EQ(ToString(contract.fields[5].field.type), "list<struct<sku: string, n: int>>");
  EXPECT_TRUE(contract.fields[5].field.type.children[0].required);
  EXPECT_EQ(contract.fields[6].pattern, "[A-Z]{3}$");
  EXPECT_THAT(contract.fields[6].allowed, ElementsAre("ABC"));
}

TEST(LoadTest, ListedEventTypesAreTheOnlyOnes) {
  const PipelineSpec spec = Load(kSmall);
  const ContractField& type = spec.contract.fields[*spec.contract.IndexOf("event_type")];
  EXPECT_THAT(type.allowed, ElementsAre("page_view", "search", "product_view", "add_to_cart",
                                        "remove_from_cart", "checkout_start", "purchase"));
}

// No input may crash the reader, hang it, or give a spec beside an error.
TEST(LoadTest, SurvivesDamagedFiles) {
  const std::string pipeline = ReadProjectFile("examples/retail/retail-spool.yaml");
  const std::string contract(RetailContractText());
  Random random(7);
  int readable = 0;
  for (int round = 0; round < 600; ++round) {
    ScriptedEnvironment environment = RetailEnvironment();
    std::string text = round % 2 == 0 ? pipeline : contract;
    for (std::uint64_t edits = 1 + random.Below(4); edits > 0; --edits) {
      const std::size_t at = random.Below(text.size());
      constexpr std::string_view kBytes =
          "{}[]:,-#&*!|>'\"%@`$\\ \n\t~<?\0\xff"
          "0a";
      switch (random.Below(3)) {
        case 0:
          text[at] = kBytes[random.Below(kBytes.size())];
          break;
        case 1:
          text.insert(at, 1, kBytes[random.Below(kBytes.size())]);
          break;
        default:
          text.erase(at, random.Below(20));
      }
      if (text.empty()) text = "x";
    }
    if (round % 2 == 1) environment.files["/pipelines/retail_event.yaml"] = text;
    const auto outcome =
        ParsePipelineText(round % 2 == 0 ? text : pipeline, "pipeline.yaml", environment);
    EXPECT_EQ(outcome.spec.has_value(), outcome.diagnostics.ok()) << text;
    EXPECT_EQ(outcome.diagnostics.ok(), outcome.diagnostics.ToStatus().ok());
    readable += outcome.spec.has_value() ? 1 : 0;
    if (!outcome.diagnostics.ok()) {
      EXPECT_THAT(outcome.diagnostics.ToText(), HasSubstr("error[WEIR01"));
    }
  }
  EXPECT_GT(readable, 30);
  EXPECT_LT(readable, 570);
}

}  // namespace
}  // namespace weir::config
