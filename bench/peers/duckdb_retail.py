"""The retail rows through DuckDB, as the bound of a fast batch engine: NDJSON -> checked by the
rules of the contract -> one Parquet file, ZSTD level 1. Prints its own figures as JSON.

    duckdb_retail.py --input events.ndjson --output rows.parquet --threads N
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
PRODUCT = ["product_id", "product_name", "category", "price"]
NEEDS = {"page_view": [], "search": ["search_query"], "product_view": PRODUCT,
         "add_to_cart": PRODUCT + ["cart_id", "quantity"],
         "remove_from_cart": ["product_id", "cart_id", "quantity"],
         "checkout_start": ["cart_id"], "purchase": ["order_id", "cart_id"]}


def first_error():
    """A CASE that is the first readable error of a row, or null."""
    whens = []
    for name in FIELDS:
        if name in NOT_BLANK:
            whens.append((f"{name} IS NULL OR trim({name}) = ''", f"{name} must not be blank"))
    whens.append(("event_time IS NULL", "event_time is required"))
    types = ", ".join(f"'{name}'" for name in NEEDS)
    whens.append((f"event_type NOT IN ({types})", "event_type is not allowed"))
    whens.append(("quantity < 1", "quantity must be at least 1"))
    whens.append(("price < 0", "price must be at least 0"))
    for event_type, needs in NEEDS.items():
        for name in needs:
            whens.append((f"event_type = '{event_type}' AND {name} IS NULL",
                          f"{event_type} needs {name}"))
    return "CASE " + " ".join(f"WHEN {when} THEN '{text}'" for when, text in whens) + " END"


def query(source, target):
    columns = ", ".join(f"{name}: '{TYPES.get(name, 'VARCHAR')}'" for name in FIELDS)
    checked = (f"SELECT *, {first_error()} AS problem "
               f"FROM read_json('{source}', format='newline_delimited', columns={{{columns}}})")
    output = ["event_id", "event_time", "now() AS ingestion_time"] + FIELDS[2:]
    output[0] = ("CASE WHEN problem IS NULL THEN event_id "
                 "ELSE error('Invalid clickstream event: ' || problem) END AS event_id")
    return (f"COPY (SELECT {', '.join(output)} FROM ({checked})) TO '{target}' "
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
