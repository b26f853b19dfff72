"""The retail job as a PySpark user writes it: Kafka -> from_json in FAILFAST mode -> checked by the
rules of the contract, the first readable error stops the job -> Iceberg by day(event_time), exactly
once. Drains what is in the topic and ends. Prints figures as JSON; bench/run adds what the whole
process took, the start of the JVM included.

    spark-submit spark_retail.py --brokers B --topic T --dir D [--distribution none|hash|range]
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
COLUMNS = FIELDS[:2] + ["ingestion_time"] + FIELDS[2:]
NOT_BLANK = ["event_id", "user_id", "session_id", "event_type", "page_url", "device_type",
             "browser", "traffic_source"]
PRODUCT = ["product_id", "product_name", "category", "price"]
NEEDS = {"page_view": [], "search": ["search_query"], "product_view": PRODUCT,
         "add_to_cart": PRODUCT + ["cart_id", "quantity"],
         "remove_from_cart": ["product_id", "cart_id", "quantity"],
         "checkout_start": ["cart_id"], "purchase": ["order_id", "cart_id"]}


def first_error():
    """A column that is the first readable error of a row, or null."""
    def when(condition, text):
        return F.when(condition, F.lit(text))
    errors = [when(F.col(name).isNull() | (F.trim(name) == ""), f"{name} must not be blank")
              for name in NOT_BLANK]
    errors.append(when(F.col("event_time").isNull(), "event_time is required"))
    errors.append(when(~F.col("event_type").isin(list(NEEDS)), "event_type is not allowed"))
    errors.append(when(F.col("quantity") < 1, "quantity must be at least 1"))
    errors.append(when(F.col("price") < 0, "price must be at least 0"))
    for event_type, needs in NEEDS.items():
        errors += [when((F.col("event_type") == event_type) & F.col(name).isNull(),
                        f"{event_type} needs {name}") for name in needs]
    return F.coalesce(*errors)


def read_events(spark, options):
    records = (spark.readStream.format("kafka")
               .option("kafka.bootstrap.servers", options.brokers)
               .option("subscribe", options.topic)
               .option("startingOffsets", "earliest")
               .option("maxOffsetsPerTrigger", options.batch_rows)
               .load())
    parsed = records.select(F.from_json(F.col("value").cast("string"), SCHEMA,
                                        {"mode": "FAILFAST"}).alias("event")).select("event.*")
    checked = parsed.withColumn("problem", first_error())
    refused = F.raise_error(F.concat(F.lit("Invalid clickstream event: "), F.col("problem")))
    return (checked
            .withColumn("event_id", F.when(F.col("problem").isNull(), F.col("event_id"))
                        .otherwise(refused))
            .withColumn("ingestion_time", F.current_timestamp())
            .select(*COLUMNS))


def create_table(spark, options):
    kinds = {"event_time": "timestamp", "ingestion_time": "timestamp", "quantity": "int",
             "price": "decimal(10,2)"}
    columns = ", ".join(f"{name} {kinds.get(name, 'string')}" for name in COLUMNS)
    properties = {"write.parquet.compression-level": "1"}
    if options.distribution:
        properties["write.distribution-mode"] = options.distribution
    settings = ", ".join(f"'{name}'='{value}'" for name, value in properties.items())
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.retail")
    spark.sql(f"CREATE TABLE IF NOT EXISTS lake.retail.clickstream_events ({columns}) "
              f"USING iceberg PARTITIONED BY (days(event_time)) TBLPROPERTIES ({settings})")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--brokers", required=True)
    options.add_argument("--topic", required=True)
    options.add_argument("--dir", required=True)
    options.add_argument("--distribution", choices=["none", "hash", "range"])
    options.add_argument("--batch-rows", type=int, default=500_000)
    chosen = options.parse_args()
    spark = (SparkSession.builder.appName("retail")
             .config("spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog")
             .config("spark.sql.catalog.lake.type", "hadoop")
             .config("spark.sql.catalog.lake.warehouse", f"file://{chosen.dir}/lake")
             .getOrCreate())
    create_table(spark, chosen)
    begin = time.monotonic()
    query = (read_events(spark, chosen).writeStream.format("iceberg").outputMode("append")
             .option("checkpointLocation", os.path.join(chosen.dir, "checkpoint"))
             .option("fanout-enabled", "true")
             .trigger(availableNow=True)
             .toTable("lake.retail.clickstream_events"))
    query.awaitTermination()
    batches = [entry for entry in query.recentProgress if entry["numInputRows"] > 0]
    print(json.dumps({"engine": f"PySpark {spark.version}", "batches": len(batches),
                      "rows": sum(entry["numInputRows"] for entry in batches),
                      "streaming_s": round(time.monotonic() - begin, 3)}))
    spark.stop()


main()
