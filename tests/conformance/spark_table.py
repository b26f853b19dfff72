"""Run by Spark: creates, appends to or reads the retail table of an SQL catalog on SQLite.

    spark_table.py create|append|read LAKE [COUNT]

append writes COUNT commits of three rows each; read prints one JSON line with counts and sums.
"""

import json
import sys
import time

from pyspark.sql import SparkSession

TABLE = "weir.retail.clickstream_events"
COLUMNS = """event_id string, event_time timestamp, ingestion_time timestamp, user_id string,
  session_id string, event_type string, page_url string, referrer_url string, search_query string,
  product_id string, product_name string, category string, cart_id string, order_id string,
  quantity int, price decimal(10,2), device_type string, browser string, traffic_source string"""
ROW = """'spark-{commit}-{row}', timestamp'2026-09-0{day} 10:00:00 UTC',
  timestamp'2026-09-01 10:00:00 UTC', 'spark', 's', 'page_view', '/', null, null, null, null, null,
  null, null, 1, 1.25, 'd', 'b', 't'"""


def session(lake):
    builder = SparkSession.builder
    for key, value in {
        "spark.sql.catalog.weir": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.weir.type": "jdbc",
        "spark.sql.catalog.weir.uri": f"jdbc:sqlite:{lake}/catalog.db?busy_timeout=30000",
        "spark.sql.catalog.weir.jdbc.schema-version": "V1",
        "spark.sql.catalog.weir.warehouse": f"file://{lake}",
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def append(spark, count):
    for commit in range(count):
        rows = ", ".join(f"({ROW.format(commit=commit, row=row, day=row + 1)})" for row in range(3))
        for attempt in range(20):
            try:
                spark.sql(f"INSERT INTO {TABLE} VALUES {rows}")
                break
            except (
                Exception
            ) as error:  # a locked catalog or a lost race: Spark itself gives up at some point
                if attempt == 19:
                    raise
                print("again:", str(error).splitlines()[0], file=sys.stderr)
                time.sleep(0.5)


def read(spark):
    row = spark.sql(
        f"""SELECT count(*), count(distinct event_id), sum(quantity), cast(sum(price) as string),
      min(event_time), max(event_time) FROM {TABLE}"""
    ).first()
    by_type = {
        r[0]: r[1]
        for r in spark.sql(f"SELECT event_type, count(*) FROM {TABLE} GROUP BY 1").collect()
    }
    one_day = spark.sql(
        f"SELECT count(*) FROM {TABLE} WHERE event_time >= timestamp'2026-09-01 00:00:00 UTC' "
        f"AND event_time < timestamp'2026-09-02 00:00:00 UTC'"
    ).first()[0]
    meta = {}
    for name in ("files", "partitions", "snapshots", "manifests", "entries", "history"):
        meta[name] = spark.sql(f"SELECT * FROM {TABLE}.{name}").count()
    print(
        "RESULT "
        + json.dumps(
            {
                "rows": row[0],
                "ids": row[1],
                "quantity": row[2],
                "price": row[3],
                "first": str(row[4]),
                "last": str(row[5]),
                "by_type": by_type,
                "one_day": one_day,
                "meta": meta,
            }
        )
    )


def main():
    verb, lake = sys.argv[1:3]
    spark = session(lake)
    if verb == "create":
        spark.sql("CREATE NAMESPACE IF NOT EXISTS weir.retail")
        spark.sql(
            f"CREATE TABLE {TABLE} ({COLUMNS}) USING iceberg PARTITIONED BY (days(event_time))"
        )
        append(spark, 1)
    elif verb == "append":
        append(spark, int(sys.argv[3]))
    elif verb == "maintain":
        spark.sql(f"CALL weir.system.rewrite_manifests('retail.clickstream_events')")
        spark.sql(f"DELETE FROM {TABLE} WHERE user_id = 'spark'")
        read(spark)
    else:
        read(spark)
    spark.stop()


if __name__ == "__main__":
    main()
