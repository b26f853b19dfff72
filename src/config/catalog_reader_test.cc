#include "config/catalog_reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/echo.h"
#include "config/load.h"
#include "config/retail_example.h"

namespace weir::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

LoadOutcome Load(const std::string& lake) {
  ScriptedEnvironment environment;
  environment.variables = {{"SECRET", "hunter2"}};
  environment.files["/pipelines/retail_event.yaml"] = RetailContractText();
  environment.files["/pipelines/token"] = "hunter2\n";
  return ParsePipelineText(
      "pipeline: shop\nsource: {spool: ./log, topic: events}\nstate: ./state\n"
      "contract: retail_event.yaml\nlake: " +
          lake + "\ntables:\n  silver.events: {from: valid}\non_error: fail\n",
      "pipeline.yaml", environment);
}

LakeSpec Read(const std::string& lake) {
  const LoadOutcome outcome = Load(lake);
  EXPECT_TRUE(outcome.spec) << outcome.diagnostics.ToText();
  return outcome.spec.value_or(PipelineSpec()).lake;
}

TEST(CatalogReaderTest, PostgresIsAUrlAndAPasswordBesideIt) {
  const LakeSpec lake = Read(
      "{warehouse: ./lake, catalog: {sql: \"postgresql://weir@db:5432/lake?sslmode=require\", "
      "password: \"${SECRET}\"}}");
  EXPECT_EQ(lake.catalog, CatalogKind::kPostgres);
  EXPECT_EQ(lake.catalog_path, "postgresql://weir@db:5432/lake?sslmode=require");
  EXPECT_EQ(lake.catalog_password, "hunter2");
}

TEST(CatalogReaderTest, RestKnowsItsOwnWarehouse) {
  const LakeSpec lake = Read(
      "{catalog: {rest: {uri: https://catalog/api, warehouse: w, credential: \"${file:token}\", "
      "scope: s, oauth2_uri: https://login/token, headers: {X-Project: shop}, ca: ca.pem, "
      "signing_service: glue, signing_region: eu-north-1, vended_credentials: true}}}");
  EXPECT_EQ(lake.catalog, CatalogKind::kRest);
  EXPECT_TRUE(lake.warehouse.empty());
  EXPECT_EQ(lake.rest.uri, "https://catalog/api");
  EXPECT_EQ(lake.rest.warehouse, "w");
  EXPECT_EQ(lake.rest.credential, "hunter2");
  EXPECT_EQ(lake.rest.scope, "s");
  EXPECT_EQ(lake.rest.oauth2_uri, "https://login/token");
  EXPECT_EQ(lake.rest.ca_file, "/pipelines/ca.pem");
  EXPECT_THAT(lake.rest.headers, ElementsAre(Pair("X-Project", "shop")));
  EXPECT_EQ(lake.rest.signing_service, "glue");
  EXPECT_EQ(lake.rest.signing_region, "eu-north-1");
  EXPECT_TRUE(lake.rest.vended_credentials);
}

TEST(CatalogReaderTest, SecretsAreNotEchoed) {
  for (const char* lake :
       {R"({warehouse: l, catalog: {sql: "postgresql://u@h/d", password: "${SECRET}"}})",
        R"({catalog: {rest: {uri: https://h, credential: "${SECRET}"}}})",
        R"({catalog: {rest: {uri: https://h, token: "${SECRET}"}}})",
        R"({catalog: {rest: {uri: https://h, headers: {Authorization: "${SECRET}"}}}})",
        R"({catalog: {rest: {uri: https://h, headers: {X-Odd: "${file:token}"}}}})"}) {
    const LoadOutcome outcome = Load(lake);
    ASSERT_TRUE(outcome.spec) << lake << outcome.diagnostics.ToText();
    const std::string echo = Echo(*outcome.spec);
    EXPECT_THAT(echo, Not(HasSubstr("hunter2"))) << lake;
    EXPECT_THAT(echo, HasSubstr("***")) << lake;
  }
}

TEST(CatalogReaderTest, OthersNeedAWarehouse) {
  const LoadOutcome outcome = Load("{catalog: {folder: true}}");
  EXPECT_FALSE(outcome.spec);
  EXPECT_THAT(outcome.diagnostics.ToText(), HasSubstr("`warehouse` is missing"));
}

}  // namespace
}  // namespace weir::config
