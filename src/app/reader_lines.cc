#include "app/reader_lines.h"

#include <fmt/format.h>

#include "io/location.h"

namespace weir::app {
namespace {

// A text between double quotes in Python, where the whole stands between single quotes of a shell.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string SqlText(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string DuckDbScript(const std::string& table, const std::string& view,
                         std::int64_t snapshot_id, const std::vector<std::string>& files) {
  std::string list;
  for (const std::string& file : files) list += (list.empty() ? "  " : ",\n  ") + SqlText(file);
  return fmt::format(
      "-- The files of {} at snapshot {}, as plain Parquet: no extension, no network.\n"
      "-- The list is exact; a pattern over the folder would also catch files of an epoch that "
      "never\n"
      "-- was committed. It does not follow later commits: `weir tables files` lists what is live "
      "then.\n"
      "CREATE OR REPLACE VIEW {} AS SELECT * FROM read_parquet([\n{}\n], hive_partitioning = "
      "false);\n",
      table, snapshot_id, view, list);
}

std::string DuckDbLine(const std::string& script_path, const std::string& view) {
  return fmt::format(
      "python3 -c 'import duckdb; duckdb.sql(open({}).read()); print(duckdb.sql(\"SELECT "
      "event_type, "
      "count(*) AS events, sum(quantity) AS items FROM {} GROUP BY ALL ORDER BY events DESC\"))'",
      Quoted(script_path), view);
}

std::string PyIcebergLine(const config::LakeSpec& lake, const std::string& table) {
  return fmt::format(
      "python3 -c 'from pyiceberg.catalog.sql import SqlCatalog; print(SqlCatalog({}, uri={}, "
      "warehouse={}).load_table({}).scan().to_arrow().group_by(\"event_type\").aggregate([(\"event_"
      "id\", "
      "\"count\")]).to_pylist())'",
      Quoted(lake.name), Quoted("sqlite:///" + lake.catalog_path),
      Quoted(io::WrittenLocation(lake.warehouse)), Quoted(table));
}

std::string SparkLine(const config::LakeSpec& lake, const std::string& table) {
  const std::string catalog = "spark.sql.catalog." + lake.name;
  return fmt::format(
      "python3 -c 'from pyspark.sql import SparkSession; SparkSession.builder.config(map={{"
      "\"spark.jars.packages\": \"org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0,"
      "org.xerial:sqlite-jdbc:3.50.3.0\", {}: \"org.apache.iceberg.spark.SparkCatalog\", {}: "
      "\"jdbc\", "
      "{}: {}, {}: {}}}).getOrCreate().sql({}).show()'",
      Quoted(catalog), Quoted(catalog + ".type"), Quoted(catalog + ".uri"),
      Quoted("jdbc:sqlite:" + lake.catalog_path), Quoted(catalog + ".warehouse"),
      Quoted(io::WrittenLocation(lake.warehouse)),
      Quoted("SELECT event_type, count(*) AS events FROM " + lake.name + "." + table +
             " GROUP BY event_type ORDER BY events DESC"));
}

std::string DeltaRsLine(const std::string& location) {
  return fmt::format(
      "python3 -c 'from deltalake import DeltaTable; print(DeltaTable({}).to_pyarrow_table()."
      "group_by(\"event_type\").aggregate([(\"event_id\", \"count\")]).to_pylist())'",
      Quoted(location));
}

std::string DeltaSparkLine(const std::string& location) {
  return fmt::format(
      "python3 -c 'from pyspark.sql import SparkSession; SparkSession.builder.config(map={{"
      "\"spark.jars.packages\": \"io.delta:delta-spark_2.12:3.3.2\", \"spark.sql.extensions\": "
      "\"io.delta.sql.DeltaSparkSessionExtension\", \"spark.sql.catalog.spark_catalog\": "
      "\"org.apache.spark.sql.delta.catalog.DeltaCatalog\"}}).getOrCreate().read.format(\"delta\")."
      "load({}).groupBy(\"event_type\").count().show()'",
      Quoted(location));
}

}  // namespace weir::app
