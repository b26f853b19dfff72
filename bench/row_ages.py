"""row_ages.py METADATA PRODUCED.csv FROM_MS [GOLD]: prints percentiles of the time from a record's
timestamp to the commit whose files hold it, or to the commit of the same epoch to another table,
whose metadata GOLD is. PRODUCED has partition, offset, milliseconds a line."""

import json
import sys

import duckdb
import pyarrow
from pyiceberg.table import StaticTable


def epoch_of(snapshot):
    return snapshot.summary and snapshot.summary.additional_properties.get("weir.epoch")


def commits(metadata, gold):
    """Path of each data file and the milliseconds of the commit that counts for it."""
    table = StaticTable.from_metadata(metadata)
    when = {snapshot.snapshot_id: snapshot.timestamp_ms for snapshot in table.metadata.snapshots}
    if gold:
        other = {epoch_of(snapshot): snapshot.timestamp_ms
                 for snapshot in StaticTable.from_metadata(gold).metadata.snapshots}
        when = {snapshot.snapshot_id: other[epoch_of(snapshot)]
                for snapshot in table.metadata.snapshots if epoch_of(snapshot) in other}
    entries = table.inspect.entries().select(["snapshot_id", "data_file"]).to_pylist()
    return {entry["data_file"]["file_path"].removeprefix("file://"): when[entry["snapshot_id"]]
            for entry in entries if entry["snapshot_id"] in when}


def main():
    metadata, produced, from_ms = sys.argv[1], sys.argv[2], float(sys.argv[3])
    files = commits(metadata, sys.argv[4] if len(sys.argv) > 4 else None)
    database = duckdb.connect()
    database.register("files", pyarrow.table({"filename": list(files), "ms": list(files.values())}))
    database.execute("CREATE TABLE produced AS SELECT * FROM read_csv(?, header=false, "
                     "names=['partition', 'offset', 'ms'])", [produced])
    database.execute(
        "CREATE TABLE ages AS SELECT p.ms AS sent_ms, (f.ms - p.ms) / 1000.0 AS age "
        "FROM produced p LEFT JOIN ("
        "SELECT r.partition, r.offset, files.ms "
        "FROM read_parquet(?, filename=true, hive_partitioning=false) r JOIN files USING (filename)"
        ") f USING (partition, \"offset\")",
        [list(files)])
    rows, p50, p95, p99, most, missing = database.execute(
        "SELECT count(age), quantile_cont(age, 0.5), quantile_cont(age, 0.95), "
        "quantile_cont(age, 0.99), max(age), "
        "count(*) - count(age) FROM ages WHERE sent_ms >= ?", [from_ms]).fetchone()
    figures = {"p50_s": p50, "p95_s": p95, "p99_s": p99, "max_s": most}
    print(json.dumps({"rows": rows, "missing": missing,
                      **{name: value and round(value, 3) for name, value in figures.items()}}))


main()
