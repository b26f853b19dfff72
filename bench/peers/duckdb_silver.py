"""Silver in DuckDB, as the bound of a fast batch engine: NDJSON -> parsed -> checked -> the first
row of each event -> one Parquet file, ZSTD level 1. No lateness, no table. Prints figures as JSON.

    duckdb_silver.py --input events.ndjson --output rows.parquet --threads N
"""

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
KINDS = ["page_view", "search", "product_view", "add_to_cart", "remove_from_cart",
         "checkout_start", "purchase"]


def query(source, target):
    columns = ", ".join(f"{name}: '{TYPES.get(name, 'VARCHAR')}'" for name in FIELDS)
    rules = [f"{name} IS NOT NULL AND trim({name}) <> ''" for name in NOT_BLANK]
    rules += ["event_time IS NOT NULL", "(quantity IS NULL OR quantity >= 1)",
              "(price IS NULL OR price >= 0)",
              "event_type IN (" + ", ".join(f"'{kind}'" for kind in KINDS) + ")"]
    return (f"COPY (SELECT DISTINCT ON (event_id) * FROM read_json('{source}', "
            f"format='newline_delimited', ignore_errors=true, columns={{{columns}}}) "
            f"WHERE {' AND '.join(rules)}) TO '{target}' "
            "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)")


def main():
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


main()
