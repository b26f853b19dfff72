"""Prints as JSON what an Iceberg table holds, read by PyIceberg (metadata) and DuckDB (files), or,
given a Parquet file instead of a metadata file, what that holds."""

import json
import sys

import duckdb


def iceberg_files(metadata):
    from pyiceberg.table import StaticTable  # pylint: disable=import-outside-toplevel
    table = StaticTable.from_metadata(metadata)
    files = [task.file for task in table.scan().plan_files()]
    return {
        "files": len(files),
        "bytes": sum(file.file_size_in_bytes for file in files),
        "metadata_rows": sum(file.record_count for file in files),
        "snapshots": len(table.metadata.snapshots),
    }, [file.file_path.removeprefix("file://").removeprefix("file:") for file in files]


def parquet_file(path):
    with open(path, "rb") as file:
        size = file.seek(0, 2)
    return {"files": 1, "bytes": size}, [path]


def main():
    source = sys.argv[1]
    facts, paths = (iceberg_files if source.endswith(".json") else parquet_file)(source)
    rows, price, quantity, ids, days = duckdb.execute(
        "SELECT count(*), sum(price), sum(quantity), count(DISTINCT event_id), "
        "count(DISTINCT CAST(event_time AT TIME ZONE 'UTC' AS DATE)) "
        "FROM read_parquet(?, hive_partitioning=false)", [paths]).fetchone()
    print(json.dumps({**facts, "rows": rows, "price_sum": str(price), "quantity_sum": str(quantity),
                      "distinct_ids": ids, "days": days}))


main()
