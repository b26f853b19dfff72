"""The event-time jobs as a PySpark user writes them, each draining its source and ending.

    bronze   Kafka -> every record with its coordinates
    silver   Kafka or bronze -> parsed, valid rows, each event once within ten minutes; the others
             into a quarantine table by a second query
    gold     silver -> sessions with a gap of 30 minutes, merged into their table
    windows  Kafka -> counts by event and five minutes, ten minutes late

`silver --from-bronze` reads what `bronze` wrote: bronze, silver and gold are the whole chain. All
tables are Iceberg. Prints figures as JSON; who starts it adds what the whole process took.
"""

import argparse
import json
import os
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (DecimalType, IntegerType, StringType, StructField, StructType,
                               TimestampType)

TYPES = {"event_time": TimestampType(), "quantity": IntegerType(), "price": DecimalType(10, 2)}
FIELDS = ["event_id", "event_time", "user_id", "session_id", "event_type", "page_url",
          "referrer_url", "search_query", "product_id", "product_name", "category", "cart_id",
          "order_id", "quantity", "price", "device_type", "browser", "traffic_source"]
SCHEMA = StructType([StructField(name, TYPES.get(name, StringType())) for name in FIELDS])
NOT_BLANK = ["event_id", "user_id", "session_id", "event_type", "page_url", "device_type",
             "browser", "traffic_source"]
KINDS = ["page_view", "search", "product_view", "add_to_cart", "remove_from_cart",
         "checkout_start", "purchase"]
SMALL = StructType([StructField("user_id", StringType()), StructField("event", StringType()),
                    StructField("ts", StringType())])


def problem():
    """A column that says what is wrong with a row, or null."""
    errors = [F.when(F.col(name).isNull() | (F.trim(name) == ""), F.lit(f"{name} is blank"))
              for name in NOT_BLANK]
    errors.append(F.when(F.col("event_time").isNull(), F.lit("event_time is required")))
    errors.append(F.when(~F.col("event_type").isin(KINDS), F.lit("event_type is not allowed")))
    errors.append(F.when(F.col("quantity") < 1, F.lit("quantity must be at least 1")))
    errors.append(F.when(F.col("price") < 0, F.lit("price must be at least 0")))
    return F.coalesce(*errors)


class Job:
    def __init__(self, options):
        self.options = options
        lake = "spark.sql.catalog.lake"
        self.spark = (SparkSession.builder.appName("medallion")
                      .config(lake, "org.apache.iceberg.spark.SparkCatalog")
                      .config(f"{lake}.type", "hadoop")
                      .config(f"{lake}.warehouse", f"file://{options.dir}/lake")
                      .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions."
                              "IcebergSparkSessionExtensions")
                      .config("spark.sql.shuffle.partitions", "4")
                      .config("spark.sql.session.timeZone", "UTC")
                      .config("spark.sql.streaming.stateStore.providerClass",
                              "org.apache.spark.sql.execution.streaming.state."
                              "RocksDBStateStoreProvider")
                      .getOrCreate())
        self.spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.shop")
        self.queries = []

    def kafka(self):
        return (self.spark.readStream.format("kafka")
                .option("kafka.bootstrap.servers", self.options.brokers)
                .option("subscribe", self.options.topic)
                .option("startingOffsets", "earliest")
                .option("maxOffsetsPerTrigger", self.options.batch_rows).load())

    def create(self, name, columns, partition=""):
        self.spark.sql(f"CREATE TABLE IF NOT EXISTS lake.shop.{name} ({columns}) USING iceberg "
                       f"{partition} TBLPROPERTIES ('write.parquet.compression-level'='1', "
                       "'write.distribution-mode'='none')")

    def start(self, rows, name):
        self.queries.append(
            rows.writeStream.format("iceberg").outputMode("append")
            .option("checkpointLocation", os.path.join(self.options.dir, "checkpoint", name))
            .option("fanout-enabled", "true").trigger(availableNow=True)
            .toTable(f"lake.shop.{name}"))

    def finish(self):
        for query in self.queries:
            query.awaitTermination()

    def bronze(self):
        self.create("bronze", "topic string, partition int, offset bigint, value string, "
                    "ingestion_time timestamp")
        self.start(self.kafka().select("topic", "partition", "offset",
                                       F.col("value").cast("string").alias("value"),
                                       F.current_timestamp().alias("ingestion_time")), "bronze")

    def checked(self):
        if self.options.from_bronze:
            values = self.spark.readStream.format("iceberg").load("lake.shop.bronze")
        else:
            values = self.kafka().select(F.col("value").cast("string").alias("value"))
        parsed = values.select("value", F.from_json("value", SCHEMA).alias("event"))
        # The array keeps the filter below from being pushed under from_json, once a field.
        held = parsed.select(F.explode(F.array(F.struct("value", "event"))).alias("row"))
        return held.select("row.value", "row.event.*").withColumn("problem", problem())

    def silver(self):
        columns = ", ".join(f"{name} {TYPES.get(name, StringType()).simpleString()}"
                            for name in FIELDS)
        self.create("silver", columns, "PARTITIONED BY (days(event_time))")
        self.create("quarantine", "value string, problem string")
        good = self.checked().where("problem is null").select(*FIELDS)
        self.start(good.withWatermark("event_time", "10 minutes")
                   .dropDuplicatesWithinWatermark(["event_id"]), "silver")
        self.start(self.checked().where("problem is not null").select("value", "problem"),
                   "quarantine")

    def gold(self):
        self.create("sessions", "user_id string, session_start timestamp, session_end timestamp, "
                    "events bigint, purchases bigint, revenue decimal(20,2)")

        def merge(batch, _):
            batch.createOrReplaceTempView("fresh")
            batch.sparkSession.sql(
                "MERGE INTO lake.shop.sessions old USING fresh ON old.user_id = fresh.user_id AND "
                "old.session_start = fresh.session_start WHEN MATCHED THEN UPDATE SET * "
                "WHEN NOT MATCHED THEN INSERT *")

        rows = (self.spark.readStream.format("iceberg").load("lake.shop.silver")
                .withWatermark("event_time", "10 minutes")
                .groupBy("user_id", F.session_window("event_time", "30 minutes").alias("w"))
                .agg(F.count("*").alias("events"),
                     F.sum(F.when(F.col("event_type") == "purchase", 1).otherwise(0))
                     .alias("purchases"),
                     F.sum(F.when(F.col("event_type") == "purchase", F.col("price")))
                     .cast("decimal(20,2)").alias("revenue"))
                .select("user_id", F.col("w.start").alias("session_start"),
                        F.col("w.end").alias("session_end"), "events", "purchases", "revenue"))
        self.queries.append(
            rows.writeStream.outputMode("append").foreachBatch(merge)
            .option("checkpointLocation", os.path.join(self.options.dir, "checkpoint", "gold"))
            .trigger(availableNow=True).start())

    def windows(self):
        self.create("windows", "event string, window_start timestamp, window_end timestamp, "
                    "count bigint")
        rows = (self.kafka()
                .select(F.from_json(F.col("value").cast("string"), SMALL).alias("row"))
                .select("row.event", F.to_timestamp("row.ts").alias("ts"))
                .withWatermark("ts", "10 minutes")
                .groupBy("event", F.window("ts", "5 minutes").alias("w")).count()
                .select("event", F.col("w.start").alias("window_start"),
                        F.col("w.end").alias("window_end"), "count"))
        self.start(rows, "windows")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("job", choices=["bronze", "silver", "gold", "windows"])
    options.add_argument("--brokers")
    options.add_argument("--topic")
    options.add_argument("--dir", required=True)
    options.add_argument("--from-bronze", action="store_true")
    options.add_argument("--batch-rows", type=int, default=500_000)
    chosen = options.parse_args()
    job = Job(chosen)
    begin = time.monotonic()
    getattr(job, chosen.job)()
    job.finish()
    table = {"gold": "sessions"}.get(chosen.job, chosen.job)
    rows = job.spark.table(f"lake.shop.{table}").count()
    print(json.dumps({"job": chosen.job, "engine": f"PySpark {job.spark.version}", "rows": rows,
                      "streaming_s": round(time.monotonic() - begin, 3)}))
    job.spark.stop()


main()
