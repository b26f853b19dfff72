"""What the DuckDB peers share: the fields of the retail events, and a run of one statement that
writes a Parquet file and prints its own figures as JSON."""

import argparse
import json
import resource
import time

import duckdb

TYPES = {"event_time": "TIMESTAMPTZ", "quantity": "INTEGER", "price": "DECIMAL(10,2)"}
FIELDS = ["event_id", "event_time", "user_id", "session_id", "event_type", "page_url",
          "referrer_url", "search_query", "product_id", "product_name", "category", "cart_id",
          "order_id", "quantity", "price", "device_type", "browser", "traffic_source"]
NOT_BLANK = ["event_id", "user_id", "session_id", "event_type", "page_url", "device_type",
             "browser", "traffic_source"]
SOURCE_COLUMNS = "{" + ", ".join(f"{name}: '{TYPES.get(name, 'VARCHAR')}'" for name in FIELDS) + "}"
AS_PARQUET = "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)"


def run(query):
    """`query(source, target)` makes the statement."""
    options = argparse.ArgumentParser()
    options.add_argument("--input", required=True)
    options.add_argument("--output", required=True)
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    begin = time.monotonic()
    connection = duckdb.connect()
    connection.execute(f"SET threads = {chosen.threads}; SET preserve_insertion_order = false; "
                       "SET TimeZone = 'UTC'")
    rows = connection.execute(query(chosen.input, chosen.output)).fetchone()[0]
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"engine": f"DuckDB {duckdb.__version__}", "rows": rows,
                      "wall_s": round(time.monotonic() - begin, 3),
                      "cpu_s": round(usage.ru_utime + usage.ru_stime, 3),
                      "peak_mib": round(usage.ru_maxrss / 1024, 1)}))
