"""row_ages.py METADATA PRODUCED.csv FROM_MS: prints percentiles of the time from a record's
timestamp to the commit whose files hold it. PRODUCED has partition, offset, milliseconds a line."""

import json
import sys

import duckdb
import pyarrow
from pyiceberg.table import StaticTable


def commits(metadata):
    """Path of each data file and the milliseconds of the commit that added it."""
    table = StaticTable.from_metadata(metadata)
    when = {snapshot.snapshot_id: snapshot.timestamp_ms for snapshot in table.metadata.snapshots}
    entries = table.inspect.entries().select(["snapshot_id", "data_file"]).to_pylist()
    return {entry["data_file"]["file_path"].removeprefix("file://"): when[entry["snapshot_id"]]
            for entry in entries if entry["snapshot_id"] in when}


def main():
    metadata, produced, from_ms = sys.argv[1], sys.argv[2], float(sys.argv[3])
    files = commits(metadata)
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
    rows, p50, p99, most, missing = database.execute(
        "SELECT count(age), quantile_cont(age, 0.5), quantile_cont(age, 0.99), max(age), "
        "count(*) - count(age) FROM ages WHERE sent_ms >= ?", [from_ms]).fetchone()
    print(json.dumps({"rows": rows, "p50_s": round(p50, 3), "p99_s": round(p99, 3),
                      "max_s": round(most, 3), "missing": missing}))


main()
