#include "config/retail_example.h"

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/load.h"
#include "config/project_files.h"
#include "config/table_columns.h"

namespace weir::config {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(RetailExampleTest, IsTheExampleOfTheProject) {
  EXPECT_EQ(RetailContractText(),
            ReadProjectFile("examples/retail/" + std::string(kRetailContractFile)));
  EXPECT_EQ(RetailPipelineText(),
            ReadProjectFile("examples/retail/" + std::string(kRetailPipelineFile)));
}

PipelineSpec LoadExample(const std::string& file) {
  ScriptedEnvironment environment;
  environment.variables = {{"KAFKA_BOOTSTRAP", "localhost:9092"},
                           {"KAFKA_TOPIC", "retail-clickstream-events"},
                           {"WEIR_STATE", "/state"}};
  environment.files["/pipelines/retail_event.yaml"] = RetailContractText();
  environment.files["/pipelines/" + file] = ReadProjectFile("examples/retail/" + file);
  auto outcome = LoadPipeline(file, environment);
  EXPECT_TRUE(outcome.spec) << outcome.diagnostics.ToText();
  EXPECT_EQ(outcome.diagnostics.warnings(), 0U);
  return outcome.spec.value_or(PipelineSpec());
}

TEST(RetailExampleTest, TheTableHasItsNineteenColumns) {
  const PipelineSpec spec = LoadExample("retail.yaml");
  ASSERT_EQ(spec.tables.size(), 1U);
  const TableSpec& table = spec.tables[0];
  std::vector<std::string> columns;
  for (const Field& field : TableColumns(spec.contract, table.from, table.coordinates).fields) {
    columns.push_back(field.name + " " + ToString(field.type) +
                      (field.required ? " required" : ""));
  }
  EXPECT_THAT(columns,
              ElementsAre("event_id string required", "event_time timestamp required",
                          "ingestion_time timestamp", "user_id string required",
                          "session_id string required", "event_type string required",
                          "page_url string required", "referrer_url string", "search_query string",
                          "product_id string", "product_name string", "category string",
                          "cart_id string", "order_id string", "quantity int",
                          "price decimal(10,2)", "device_type string required",
                          "browser string required", "traffic_source string required"));
  EXPECT_EQ(table.create, CreateMode::kNever);
  ASSERT_EQ(table.partition_by.size(), 1U);
  EXPECT_EQ(table.partition_by[0].transform, "day");
  EXPECT_EQ(table.partition_by[0].column, "event_time");
}

TEST(RetailExampleTest, FailsFastOnceAMinuteFromTheEarliestOffset) {
  const PipelineSpec spec = LoadExample("retail.yaml");
  EXPECT_EQ(spec.source.kind, SourceKind::kKafka);
  EXPECT_EQ(spec.source.start, StartKind::kEarliest);
  EXPECT_EQ(spec.on_error, OnError::kFail);
  EXPECT_EQ(spec.epoch.every, 60 * kMicrosPerSecond);
}

TEST(RetailExampleTest, RulesOfTheContract) {
  const Contract contract = LoadExample("retail.yaml").contract;
  for (const ContractField& field : contract.fields) {
    const bool text = field.field.type.kind == TypeKind::kString;
    EXPECT_EQ(field.not_blank, field.field.required && text) << field.field.name;
  }
  const auto bound = [&contract](const char* name) {
    return contract.fields[*contract.IndexOf(name)].min->number;
  };
  EXPECT_TRUE(bound("quantity") == 1);
  EXPECT_TRUE(bound("price") == 0);
  EXPECT_EQ(contract.unknown_fields, UnknownFields::kIgnore);
  ASSERT_EQ(contract.event_types.size(), 7U);
  EXPECT_EQ(contract.event_types[0].event_type, "page_view");
  EXPECT_THAT(contract.event_types[0].needs, ElementsAre());
  EXPECT_THAT(contract.event_types[1].needs, ElementsAre("search_query"));
  EXPECT_THAT(contract.event_types[2].needs,
              UnorderedElementsAre("product_id", "product_name", "category", "price"));
  EXPECT_THAT(contract.event_types[3].needs,
              UnorderedElementsAre("product_id", "product_name", "category", "price", "cart_id",
                                   "quantity"));
  EXPECT_THAT(contract.event_types[4].needs,
              UnorderedElementsAre("product_id", "cart_id", "quantity"));
  EXPECT_THAT(contract.event_types[5].needs, ElementsAre("cart_id"));
  EXPECT_THAT(contract.event_types[6].needs, UnorderedElementsAre("order_id", "cart_id"));
}

TEST(RetailExampleTest, TheDemoNeedsNoKafkaAndPutsBadEventsAside) {
  const PipelineSpec spec = LoadExample("retail-spool.yaml");
  EXPECT_EQ(spec.source.kind, SourceKind::kSpool);
  EXPECT_EQ(spec.on_error, OnError::kQuarantine);
  EXPECT_EQ(spec.tables[1].from, TableFrom::kInvalid);
}

TEST(RetailExampleTest, FiveSampleEventsWithFiveIds) {
  std::istringstream lines(ReadProjectFile("examples/retail/events.ndjson"));
  std::set<std::string> ids;
  std::multiset<std::string> types;
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line);
    ids.insert(event["event_id"]);
    types.insert(event["event_type"]);
  }
  EXPECT_EQ(ids.size(), 5U);
  EXPECT_THAT(types,
              ElementsAre("add_to_cart", "page_view", "page_view", "product_view", "search"));
}

}  // namespace
}  // namespace weir::config
