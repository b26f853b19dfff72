"""Run by Spark: streams the records of each case through its queries, a file a micro-batch.

    spark_job.py CASES.json RESULTS.json

A case has `batches`, lists of events, and the names of queries. Results: per case and query the
rows, as Spark's append mode gave them by the end, and how many rows were dropped as late.
"""

import json
import os
import pathlib
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

SCHEMA = "id string, user string, type string, time timestamp, qty int"
DELAY = "10 minutes"
GAP = "30 minutes"


def write(folder, batches):
    """Files in the order in which they must be read."""
    folder.mkdir(parents=True)
    for number, events in enumerate(batches):
        path = folder / f"{number:05}.json"
        path.write_text("".join(json.dumps(event) + "\n" for event in events))
        os.utime(path, (1_700_000_000 + number,) * 2)


def windows(events):
    return events.groupBy(f.window("time", "5 minutes"), "type").agg(
        f.count("*").alias("count"), f.sum("qty").alias("qty"), f.max("time").alias("last")
    ).selectExpr("type", "unix_micros(window.start) AS window_start", "count", "qty",
                 "unix_micros(window.end) AS window_end", "unix_micros(last) AS last")


def sessions(events):
    return events.groupBy(f.session_window("time", GAP), "user").agg(
        f.count("*").alias("events"), f.max("time").alias("last")
    ).selectExpr("user", "unix_micros(session_window.start) AS session_start",
                 "unix_micros(session_window.end) AS session_window_end",
                 "unix_micros(last) AS last", "events")


def deduped(events):
    return events.dropDuplicatesWithinWatermark(["id"])


def silver(events):
    return events.selectExpr("id", "user", "unix_micros(time) AS time")


QUERIES = {
    "silver": lambda events: silver(deduped(events)),
    "windows": windows,
    "sessions": sessions,
    "silver_windows": lambda events: windows(deduped(events)),
    "silver_sessions": lambda events: sessions(deduped(events)),
}


def run(spark, name, folder, case, query):
    events = (
        spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))
        .withWatermark("time", DELAY)
    )
    view = f"{name}_{query}".replace(" ", "_")
    stream = (
        QUERIES[query](events).writeStream.format("memory").queryName(view).outputMode("append")
        .trigger(availableNow=True).start()
    )
    stream.awaitTermination()
    dropped = [
        sum(operator["numRowsDroppedByWatermark"] for operator in progress["stateOperators"])
        for progress in stream.recentProgress
    ]
    rows = [json.loads(row) for row in spark.table(view).toJSON().collect()]
    return {"rows": rows, "dropped": sum(dropped)}


def main(cases_path, results_path):
    spark = SparkSession.builder.getOrCreate()
    spark.conf.set("spark.sql.jsonGenerator.ignoreNullFields", "false")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    root = pathlib.Path(results_path).parent / "input"
    results = {}
    for name, case in json.loads(pathlib.Path(cases_path).read_text()).items():
        write(root / name, case["batches"])
        results[name] = {query: run(spark, name, root / name, case, query)
                         for query in case["queries"]}
    pathlib.Path(results_path).write_text(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
