#include "app/reader_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::app {
namespace {

using testing::HasSubstr;

// That each line works as printed is shown by tests/e2e; here is what odd paths do to them.
TEST(ReaderLines, PathsAreQuotedForShellPythonAndSql) {
  const std::string script = DuckDbScript("a.b", "b", 7, {"/it's/1.parquet", "/x/2.parquet"});
  EXPECT_THAT(script, HasSubstr("'/it''s/1.parquet',\n  '/x/2.parquet'"));
  EXPECT_THAT(script, HasSubstr("snapshot 7"));
  EXPECT_THAT(DuckDbLine("/it's/a \"b\".sql", "b"), HasSubstr(R"(open("/it'\''s/a \"b\".sql"))"));
}

TEST(ReaderLines, AreOneLineEachAndNameTheCatalog) {
  config::LakeSpec lake;
  lake.name = "shop";
  lake.warehouse = "/lake";
  lake.catalog_path = "/lake/catalog.db";
  const std::string iceberg = PyIcebergLine(lake, "retail.events");
  EXPECT_THAT(iceberg, HasSubstr("SqlCatalog(\"shop\", uri=\"sqlite:////lake/catalog.db\""));
  const std::string spark = SparkLine(lake, "retail.events");
  EXPECT_THAT(spark, HasSubstr("FROM shop.retail.events"));
  EXPECT_THAT(spark, HasSubstr("jdbc:sqlite:/lake/catalog.db"));
  const std::string rust = DeltaRsLine("file:///lake/retail/events");
  EXPECT_THAT(rust, HasSubstr("DeltaTable(\"file:///lake/retail/events\")"));
  const std::string delta = DeltaSparkLine("file:///it's");
  EXPECT_THAT(delta, HasSubstr(R"(load("file:///it'\''s"))"));
  for (const std::string& line : {iceberg, spark, rust, delta})
    EXPECT_EQ(line.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace weir::app
