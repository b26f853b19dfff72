"""Silver in DuckDB, as the bound of a fast batch engine: NDJSON -> parsed -> checked -> the first
row of each event -> one Parquet file, ZSTD level 1. No lateness, no table. Prints figures as JSON.

    duckdb_silver.py --input events.ndjson --output rows.parquet --threads N
"""

from duckdb_rows import AS_PARQUET, NOT_BLANK, SOURCE_COLUMNS, run

KINDS = ["page_view", "search", "product_view", "add_to_cart", "remove_from_cart",
         "checkout_start", "purchase"]


def query(source, target):
    rules = [f"{name} IS NOT NULL AND trim({name}) <> ''" for name in NOT_BLANK]
    rules += ["event_time IS NOT NULL", "(quantity IS NULL OR quantity >= 1)",
              "(price IS NULL OR price >= 0)",
              "event_type IN (" + ", ".join(f"'{kind}'" for kind in KINDS) + ")"]
    return (f"COPY (SELECT DISTINCT ON (event_id) * FROM read_json('{source}', "
            f"format='newline_delimited', ignore_errors=true, columns={SOURCE_COLUMNS}) "
            f"WHERE {' AND '.join(rules)}) TO '{target}' {AS_PARQUET}")


run(query)
