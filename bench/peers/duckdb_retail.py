"""The retail rows through DuckDB, as the bound of a fast batch engine: NDJSON -> checked by the
rules of the contract -> one Parquet file, ZSTD level 1. Prints its own figures as JSON.

    duckdb_retail.py --input events.ndjson --output rows.parquet --threads N
"""

from duckdb_rows import AS_PARQUET, FIELDS, NOT_BLANK, SOURCE_COLUMNS, run

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
    checked = (f"SELECT *, {first_error()} AS problem "
               f"FROM read_json('{source}', format='newline_delimited', columns={SOURCE_COLUMNS})")
    output = ["event_id", "event_time", "now() AS ingestion_time"] + FIELDS[2:]
    output[0] = ("CASE WHEN problem IS NULL THEN event_id "
                 "ELSE error('Invalid clickstream event: ' || problem) END AS event_id")
    return (f"COPY (SELECT {', '.join(output)} FROM ({checked})) TO '{target}' {AS_PARQUET}")


run(query)
