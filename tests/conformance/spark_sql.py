"""Run by Spark: answers SQL statements, one JSON text a line, with one line of JSON each:
{"rows": [[...]]} or {"error": "..."}; what is not a JSON type comes as text."""

import json
import sys

from pyspark.sql import SparkSession


def answer(spark, statement):
    try:
        return {"rows": [list(row) for row in spark.sql(statement).collect()]}
    except Exception as error:
        return {"error": str(error)[:2000]}


def main():
    spark = SparkSession.builder.getOrCreate()
    print("ANSWER " + json.dumps({"rows": []}), flush=True)
    for line in sys.stdin:
        reply = answer(spark, json.loads(line))
        print("ANSWER " + json.dumps(reply, default=str), flush=True)
    spark.stop()


main()
