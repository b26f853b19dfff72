"""Run by Spark: the retail job as a Structured Streaming query, drained once.

    spark_stream.py LAKE CHECKPOINT BROKERS TOPIC ROWS_A_BATCH
"""

import sys

from pyspark.sql import functions as F

from spark_table import TABLE, session

SCHEMA = """event_id string, event_time timestamp, user_id string, session_id string,
  event_type string, page_url string, referrer_url string, search_query string, product_id string,
  product_name string, category string, cart_id string, order_id string, quantity int,
  price decimal(10,2), device_type string, browser string, traffic_source string"""


def main(lake, checkpoint, brokers, topic, rows):
    spark = session(lake)
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", brokers)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", rows)
        .load()
    )
    events = records.select(F.from_json(F.col("value").cast("string"), SCHEMA).alias("event"))
    rows = events.select("event.*").withColumn("ingestion_time", F.current_timestamp())
    query = (
        rows.select(*spark.table(TABLE).columns)
        .writeStream.format("iceberg")
        .outputMode("append")
        .option("checkpointLocation", checkpoint)
        .option("fanout-enabled", "true")
        .option("check-nullability", "false")  # to Spark, what it parsed may be null
        .trigger(availableNow=True)
        .toTable(TABLE)
    )
    query.awaitTermination()


main(*sys.argv[1:])
