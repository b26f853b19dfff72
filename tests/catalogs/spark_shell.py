"""Run by Spark: connects to 127.0.0.1:PORT and answers SQL statements, one JSON text a line, with
their rows as one JSON line. (Spark hands its standard input to nobody.)

    spark_shell.py PORT '{"type": ..., "uri": ...}'     settings of the catalog "lake"
"""

import json
import socket
import sys

from pyspark.sql import SparkSession

builder = SparkSession.builder.config("spark.sql.catalog.lake",
                                      "org.apache.iceberg.spark.SparkCatalog")
# Others write to the tables too, so none is looked at from memory.
builder = builder.config("spark.sql.catalog.lake.cache-enabled", "false")
for key, value in json.loads(sys.argv[2]).items():
    builder = builder.config(f"spark.sql.catalog.lake.{key}", value)
spark = builder.getOrCreate()
asked = socket.create_connection(("127.0.0.1", int(sys.argv[1]))).makefile("rw")
for line in asked:
    try:
        answer = {"ok": [list(row) for row in spark.sql(json.loads(line)).collect()]}
    except Exception as error:  # noqa: BLE001: told to who asked
        answer = {"error": repr(error)[:300] + str(error)[:2000]}
    asked.write(json.dumps(answer, default=str) + "\n")
    asked.flush()
spark.stop()
