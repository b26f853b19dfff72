"""The event-time jobs as a PySpark user writes them, each draining its source and ending.

    bronze   Kafka -> every record with its coordinates
    silver   Kafka or bronze -> parsed, valid rows, each event once within ten minutes; the others
             into a quarantine table by a second query
    gold     silver -> all tables that Weir's job makes of it: sessions with a gap of 30 minutes,
             merged into their table, and windows of 5 minutes by streams; at the end, as that is
             far cheaper here, statistics and funnel from the sessions, and active users
    sessions silver -> sessions alone, with less in them
    windows  Kafka -> counts by event and five minutes, ten minutes late

`silver --from-bronze` reads what `bronze` wrote: bronze, silver and gold are the whole chain. All
tables are Iceberg. What is cheaper than exact is taken where Spark has it: the distinct users of a
window are estimated, the funnel looks at the first row of each step. Prints figures as JSON; who
starts it adds what the whole process took.
"""

import argparse
import json
import os
import time

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import (DecimalType, IntegerType, StringType, StructField, StructType,
                               TimestampType)

TYPES = {"event_time": TimestampType(), "quantity": IntegerType(), "price": DecimalType(10, 2)}
FIELDS = ["event_id", "event_time", "user_id", "session_id", "event_type", "page_url",
          "referrer_url", "search_query", "product_id", "product_name", "category", "cart_id",
          "order_id", "quantity", "price", "device_type", "browser", "traffic_source"]
# A time without a zone is none, which Spark would take: so it is read as text.
SCHEMA = StructType([StructField(name, StringType() if name == "event_time" else
                                 TYPES.get(name, StringType())) for name in FIELDS])
NOT_BLANK = ["event_id", "user_id", "session_id", "event_type", "page_url", "device_type",
             "browser", "traffic_source"]
KINDS = ["page_view", "search", "product_view", "add_to_cart", "remove_from_cart",
         "checkout_start", "purchase"]
NEEDS = {"search": ["search_query"],
         "product_view": ["product_id", "product_name", "category", "price"],
         "add_to_cart": ["product_id", "product_name", "category", "price", "cart_id", "quantity"],
         "remove_from_cart": ["product_id", "cart_id", "quantity"],
         "checkout_start": ["cart_id"],
         "purchase": ["order_id", "cart_id"]}
STEPS = ["product_view", "add_to_cart", "checkout_start", "purchase"]
TASKS = 4
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
    errors += [F.when((F.col("event_type") == kind) & F.col(name).isNull(),
                      F.lit(f"{kind} needs {name}")) for kind in NEEDS for name in NEEDS[kind]]
    return F.coalesce(*errors)


def revenue(worth):
    """The sum of a column over the purchases."""
    column = F.col(worth) if isinstance(worth, str) else worth
    return F.sum(F.when(F.col("event_type") == "purchase", column)).cast("decimal(20,2)")


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
                      .config("spark.sql.shuffle.partitions", TASKS)
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

    def live(self, table):
        """By whole batches of its writer, a file a task: parts of one are in no order of time."""
        return (self.spark.readStream.format("iceberg")
                .option("streaming-max-files-per-micro-batch", TASKS)
                .load(f"lake.shop.{table}"))

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
            values = self.live("bronze")
        else:
            values = self.kafka().select(F.col("value").cast("string").alias("value"))
        parsed = values.select("value", F.from_json("value", SCHEMA).alias("event"))
        # The array keeps the filter below from being pushed under from_json, once a field.
        held = parsed.select(F.explode(F.array(F.struct("value", "event"))).alias("row"))
        time = F.when(F.col("event_time").endswith("Z"), F.col("event_time").cast("timestamp"))
        return (held.select("row.value", "row.event.*").withColumn("event_time", time)
                .withColumn("problem", problem()))

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

    def live_silver(self):
        return self.live("silver").withWatermark("event_time", "10 minutes")

    def start_sessions(self, table, aggregates):
        """aggregates: name -> type and column."""
        self.create(table, ", ".join(
            ["user_id string, session_start timestamp, session_end timestamp, events bigint",
             *(f"{name} {kind}" for name, (kind, _) in aggregates.items())]))

        def merge(batch, _):
            batch.createOrReplaceTempView("fresh")
            batch.sparkSession.sql(
                f"MERGE INTO lake.shop.{table} old USING fresh ON old.user_id = fresh.user_id AND "
                "old.session_start = fresh.session_start WHEN MATCHED THEN UPDATE SET * "
                "WHEN NOT MATCHED THEN INSERT *")

        rows = (self.live_silver()
                .groupBy("user_id", F.session_window("event_time", "30 minutes").alias("w"))
                .agg(F.count("*").alias("events"),
                     *(column.alias(name) for name, (_, column) in aggregates.items()))
                .select("user_id", F.col("w.start").alias("session_start"),
                        F.col("w.end").alias("session_end"), "events", *aggregates))
        self.queries.append(
            rows.writeStream.outputMode("append").foreachBatch(merge)
            .option("checkpointLocation", os.path.join(self.options.dir, "checkpoint", table))
            .trigger(availableNow=True).start())

    def sessions(self):
        self.start_sessions("few_sessions", {
            "purchases": ("bigint", F.sum((F.col("event_type") == "purchase").cast("int"))),
            "revenue": ("decimal(20,2)", revenue("price"))})

    def gold(self):
        of_type = {f"events_{kind}": ("bigint", F.sum((F.col("event_type") == kind).cast("int")))
                   for kind in KINDS}
        steps = {f"first_{kind}": ("timestamp", F.min(F.when(F.col("event_type") == kind,
                                                             F.col("event_time"))))
                 for kind in STEPS}
        self.start_sessions("sessions", {
            **of_type, **steps,
            "last_event": ("timestamp", F.max("event_time")),
            "entry_page": ("string", F.min_by("page_url", "event_time")),
            "exit_page": ("string", F.max_by("page_url", "event_time")),
            "first_traffic_source": ("string", F.min_by("traffic_source", "event_time")),
            "order_value": ("decimal(20,2)", revenue(F.col("price") *
                                                     F.coalesce("quantity", F.lit(1))))})
        self.create("event_windows", "event_type string, window_start timestamp, window_end "
                    "timestamp, count bigint, users bigint, revenue decimal(20,2)")
        self.start(self.live_silver()
                   .groupBy("event_type", F.window("event_time", "5 minutes").alias("w"))
                   .agg(F.count("*").alias("count"),
                        F.approx_count_distinct("user_id").alias("users"),
                        F.sum("price").cast("decimal(20,2)").alias("revenue"))
                   .select("event_type", F.col("w.start").alias("window_start"),
                           F.col("w.end").alias("window_end"), "count", "users", "revenue"),
                   "event_windows")
        self.finish()
        self.of_sessions()
        self.active_users()

    def of_sessions(self):
        sessions = self.spark.table("lake.shop.sessions").withColumn(
            "day", F.to_date("session_start"))
        seconds = F.col("last_event").cast("double") - F.col("session_start").cast("double")
        self.save(sessions.groupBy("day").agg(
            F.count("*").alias("sessions"),
            F.percentile(seconds, F.lit(0.5)).alias("median_s"),
            F.percentile(seconds, F.lit(0.9)).alias("p90_s"),
            F.sum((F.col("events") == 1).cast("int")).alias("bounces")), "session_stats")
        reached, counts = F.lit(True), []
        for step, before in zip(STEPS, [None, *STEPS]):
            reached = reached & (F.col(f"first_{step}").isNotNull() if before is None else
                                 F.col(f"first_{step}") >= F.col(f"first_{before}"))
            counts.append(F.count(F.when(reached, 1)).alias(step))
        self.save(sessions.groupBy("day").agg(*counts), "funnel")

    def active_users(self):
        """A user counts from a minute with an event on until the span is over, or the next such
        minute comes: one and minus one there, summed up."""
        minute = (F.unix_timestamp("event_time") / 60).cast("long").alias("minute")
        seen = self.spark.table("lake.shop.silver").select("user_id", minute).distinct()
        of_user = Window.partitionBy("user_id").orderBy("minute")
        seen = seen.withColumn("gap", F.lead("minute").over(of_user) - F.col("minute"))
        changes = []
        for span in (5, 30):
            stays = F.least(F.coalesce("gap", F.lit(span)), F.lit(span))
            changes += [F.struct((F.col("minute") + 1).alias("at"), F.lit(span).alias("span"),
                                 F.lit(1).alias("change")),
                        F.struct((F.col("minute") + 1 + stays).alias("at"),
                                 F.lit(span).alias("span"), F.lit(-1).alias("change"))]
        by_minute = (seen.select(F.explode(F.array(*changes)).alias("c")).groupBy("c.at")
                     .agg(*(F.sum(F.when(F.col("c.span") == span, F.col("c.change")).otherwise(0))
                            .alias(f"users_{span}m") for span in (5, 30))))
        so_far = Window.orderBy("at").rowsBetween(Window.unboundedPreceding, 0)
        self.save(by_minute.select(F.timestamp_seconds(F.col("at") * 60).alias("minute"),
                                   *(F.sum(name).over(so_far).alias(name)
                                     for name in ("users_5m", "users_30m"))), "active_users")

    def save(self, rows, name):
        rows.writeTo(f"lake.shop.{name}").using("iceberg").createOrReplace()

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


def count(table):
    """Rows, or the events that they stand for."""
    for name in ("events", "count"):
        if name in table.columns:
            return table.agg(F.sum(name)).first()[0]
    return table.count()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("job", choices=["bronze", "silver", "gold", "sessions", "windows"])
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
    tables = {"gold": ["sessions", "event_windows"], "sessions": ["few_sessions"]}.get(
        chosen.job, [chosen.job])
    rows = min(count(job.spark.table(f"lake.shop.{name}")) for name in tables)
    print(json.dumps({"job": chosen.job, "engine": f"PySpark {job.spark.version}", "rows": rows,
                      "streaming_s": round(time.monotonic() - begin, 3)}))
    job.spark.stop()


main()
