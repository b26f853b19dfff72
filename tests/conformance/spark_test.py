"""A table that Spark makes and goes on writing to while Weir appends.

Spark, PyIceberg and DuckDB read the same from it.
"""

import json
import os
import subprocess

import duckdb
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from program import LONGEST, ROOT, WEIR

VERSION = os.environ.get("SPARK_VERSION", "3.5")

PIPELINE = """\
pipeline: retail
source: {{spool: ./log, topic: clicks}}
state: ./state
contract: {contract}
lake: {{name: weir, warehouse: ./lake, catalog: {{sql: "sqlite:./lake/catalog.db"}}}}
epoch: {{every: 200ms, max_rows: 500}}
tables:
  retail.clickstream_events:
    {{from: valid, create: never, partition_by: [day(event_time)], coordinates: false}}
on_error: fail
"""
EVENTS = 6000
SPARK_COMMITS = 8


def spark(verb, lake, *arguments, wait=True):
    command = [
        ROOT / "tests/services/spark",
        "--version",
        VERSION,
        ROOT / "tests/conformance/spark_table.py",
        verb,
        lake,
        *map(str, arguments),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return finish(process) if wait else process


def finish(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err[-3000:]
    results = [line for line in out.splitlines() if line.startswith("RESULT ")]
    return json.loads(results[-1][len("RESULT ") :]) if results else None


def weir(*arguments):
    command = [WEIR, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    (folder / "lake").mkdir()
    (folder / "pipeline.yaml").write_text(
        PIPELINE.format(contract=ROOT / "examples" / "retail" / "retail_event.yaml")
    )
    spark("create", folder / "lake")
    return folder


def pyiceberg_rows(folder):
    catalog = SqlCatalog(
        "weir", uri=f"sqlite:///{folder}/lake/catalog.db", warehouse=f"file://{folder}/lake"
    )
    return catalog.load_table("retail.clickstream_events")


def test_weir_and_spark_write_by_turns_and_at_once(job):
    pipeline = job / "pipeline.yaml"
    for part in (1, 2):
        weir(
            "generate",
            "--seed",
            part,
            "--count",
            EVENTS // 2,
            "--spool",
            job / "log",
            "--topic",
            "clicks",
        )
        writing = spark("append", job / "lake", SPARK_COMMITS // 2, wait=False)
        running = subprocess.Popen(
            [WEIR, "run", "-c", pipeline, "--for", "25s"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert finish(writing) is None
        _, err = running.communicate(timeout=LONGEST)
        assert running.returncode == 0, err
    expected = EVENTS + 3 * (SPARK_COMMITS + 1)

    table = pyiceberg_rows(job)
    arrow = table.scan().to_arrow()
    assert arrow.num_rows == expected
    assert [f.name for f in table.schema().fields][:3] == [
        "event_id",
        "event_time",
        "ingestion_time",
    ]

    seen = spark("read", job / "lake")
    assert seen["rows"] == expected
    assert seen["by_type"] == dict(
        zip(*arrow.group_by("event_type").aggregate([("event_id", "count")]).to_pydict().values())
    )
    assert all(count > 0 for count in seen["meta"].values()), seen["meta"]

    files = [
        task.file.file_path.removeprefix("file://").removeprefix("file:")
        for task in table.scan().plan_files()
    ]
    rows, ids, quantity, price = duckdb.sql(
        "SELECT count(*), count(distinct event_id), sum(quantity), sum(price)::varchar "
        f"FROM read_parquet({files!r})"
    ).fetchone()
    assert (rows, ids, quantity, price) == (
        seen["rows"],
        seen["ids"],
        seen["quantity"],
        seen["price"],
    )


def test_pruning_finds_what_is_there(job):
    arrow = (
        pyiceberg_rows(job)
        .scan(
            row_filter="event_time >= '2026-09-01T00:00:00+00:00' "
            "and event_time < '2026-09-02T00:00:00+00:00'"
        )
        .to_arrow()
    )
    assert arrow.num_rows == spark("read", job / "lake")["one_day"] > 0


def test_spark_maintains_and_weir_goes_on(job):
    seen = spark("maintain", job / "lake")
    assert seen["rows"] == EVENTS, "Spark deleted its own rows and no other"
    weir("generate", "--seed", 3, "--count", 100, "--spool", job / "log", "--topic", "clicks")
    weir("run", "-c", job / "pipeline.yaml", "--once")
    assert pyiceberg_rows(job).scan().to_arrow().num_rows == EVENTS + 100
    weir("verify", "-c", job / "pipeline.yaml")
