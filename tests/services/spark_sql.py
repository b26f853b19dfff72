"""Run by Spark: connects to a port of this machine and answers SQL statements, one JSON
text a line, with one line of JSON each: {"rows": [[...]]} or {"error": "..."}. What is not a JSON
type comes as text. (spark-submit does not pass standard input on.)"""

import json
import socket
import sys

from pyspark.sql import SparkSession


def answer(spark, statement):
    try:
        return {"rows": [list(row) for row in spark.sql(statement).collect()]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:2000]}


def main():
    spark = SparkSession.builder.getOrCreate()
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        lines = connection.makefile("rw")
        for line in lines:
            lines.write(json.dumps(answer(spark, json.loads(line)), default=str) + "\n")
            lines.flush()
    spark.stop()


main()
