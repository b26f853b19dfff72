"""Delta tables of a pipeline, shared with Spark: what it reads, maintains, restores and changes."""

import json
import os
import pathlib
import re
import subprocess
import time

import pytest
from deltalake import DeltaTable
from pyiceberg.catalog.sql import SqlCatalog

from program import LONGEST, ROOT, WEIR
from service import SparkSession

VERSION = os.environ.get("SPARK_VERSION", "3.5")

PIPELINE = """\
pipeline: retail
source: {{spool: ./log, topic: clicks}}
state: ./state
contract: {contract}
lake: {{name: weir, warehouse: ./lake, format: {format}}}
epoch: {{every: 1s, max_rows: 100}}
tables:
  retail.bronze: {{from: source}}
  retail.quarantine: {{from: invalid}}
  retail.events:
    from: valid
    create: {create}
    partition_by: [day(event_time)]
    properties: {{delta.checkpointInterval: "4"}}
on_error: quarantine
"""
CONF = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions,"
    "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    # Days are those of UTC, whatever the reader's zone.
    "spark.sql.session.timeZone": "America/Los_Angeles",
    "spark.sql.catalog.weir": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.weir.type": "jdbc",
    "spark.sql.catalog.weir.jdbc.schema-version": "V1",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("spark-delta")


@pytest.fixture(scope="module")
def spark(folder):
    lake = folder / "both" / "lake"
    conf = dict(CONF)
    conf["spark.sql.catalog.weir.uri"] = f"jdbc:sqlite:{lake}/catalog.db?busy_timeout=30000"
    conf["spark.sql.catalog.weir.warehouse"] = f"file://{lake}"
    session = SparkSession(VERSION, conf, folder / "spark.log")
    yield session
    session.close()


class Job:
    def __init__(self, folder, lake_format="delta", create="if_missing"):
        self.folder = folder
        (folder / "lake").mkdir(parents=True)
        self.pipeline = folder / "pipeline.yaml"
        contract = ROOT / "examples" / "retail" / "retail_event.yaml"
        self.pipeline.write_text(
            PIPELINE.format(contract=contract, format=lake_format, create=create)
        )
        self.path = str(folder / "lake" / "retail" / "events")
        self.table = f"delta.`{self.path}`"
        self.seed = 0

    def weir(self, *arguments):
        command = [WEIR, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)

    def generate(self, count):
        self.seed += 1
        done = self.weir(
            "generate", "--seed", self.seed, "--count", count, "--spool", self.folder / "log",
            "--topic", "clicks",
        )
        assert done.returncode == 0, done.stderr

    def run(self, *arguments):
        return self.weir("run", "-c", self.pipeline, "--once", *arguments)

    def go(self, count):
        self.generate(count)
        done = self.run()
        assert done.returncode == 0, done.stderr

    def verify(self):
        done = self.weir("verify", "-c", self.pipeline)
        assert done.returncode == 0, done.stdout + done.stderr

    def rows(self):
        return DeltaTable(self.path).to_pyarrow_table().num_rows


def column_types(job):
    fields = json.loads(DeltaTable(job.path).schema().to_json())["fields"]
    return {field["name"]: field["type"] for field in fields}


def operations(spark, job):
    """Version -> operation."""
    return {row[0]: row[4] for row in spark.sql(f"DESCRIBE HISTORY {job.table}")}


def test_spark_reads_what_delta_rs_reads(spark, folder):
    job = Job(folder / "read")
    job.go(1000)
    job.go(500)
    arrow = DeltaTable(job.path).to_pyarrow_table()
    assert arrow.num_rows == 1500
    rows, ids, quantity, price = spark.sql(
        "SELECT count(*), count(distinct event_id), sum(quantity), cast(sum(price) as string) "
        f"FROM {job.table}"
    )[0]
    by_duck = arrow.group_by([]).aggregate([("quantity", "sum"), ("price", "sum")]).to_pylist()[0]
    assert (rows, ids) == (1500, 1500)
    assert (quantity, price) == (by_duck["quantity_sum"], str(by_duck["price_sum"]))
    for day, count in spark.sql(
        f"SELECT cast(event_date as string), count(*) FROM {job.table} GROUP BY 1"
    ):
        # Los Angeles asks for the UTC day by the partition and by the time: the same rows.
        assert spark.one(f"SELECT count(*) FROM {job.table} WHERE event_date = '{day}'") == count
        assert count == spark.one(
            f"SELECT count(*) FROM {job.table} WHERE event_time >= timestamp'{day} 00:00:00 UTC' "
            f"AND event_time < timestamp'{day} 00:00:00 UTC' + interval 1 day"
        )
    assert set(operations(spark, job).values()) == {"CREATE TABLE", "STREAMING UPDATE"}


def test_maintenance_and_new_columns_are_survived(spark, folder):
    job = Job(folder / "maintain")
    job.go(600)
    spark.sql(f"OPTIMIZE {job.table}")
    job.go(100)
    theirs = {"event_id": "'spark'", "topic": "'other'"}
    columns = ", ".join(theirs.get(name, f"`{name}`") for name in column_types(job))
    spark.sql(f"INSERT INTO {job.table} SELECT {columns} FROM {job.table} LIMIT 1")
    spark.sql(f"ALTER TABLE {job.table} ADD COLUMNS (note string)")
    job.go(200)
    spark.sql(f"OPTIMIZE {job.table}")
    spark.sql(f"VACUUM {job.table} RETAIN 0 HOURS")
    job.verify()
    assert spark.one(f"SELECT count(*) FROM {job.table}") == job.rows() == 901
    spark.sql(f"DELETE FROM {job.table} WHERE event_id = 'spark'")
    job.go(100)
    assert spark.one(f"SELECT count(*) FROM {job.table}") == job.rows() == 1000
    job.verify()


def grow(job, count):
    """A contract with one more field, and events that carry it."""
    old = (ROOT / "examples" / "retail" / "retail_event.yaml").read_text()
    contract = job.folder / "contract.yaml"
    contract.write_text(old.replace("  price: ", "  coupon: string\n  price: "))
    text = job.pipeline.read_text()
    job.pipeline.write_text(re.sub("contract: .*", f"contract: {contract}", text))
    event = {
        "event_time": "2026-09-02T10:00:00Z",
        "user_id": "u",
        "session_id": "s",
        "event_type": "page_view",
        "page_url": "https://shop.example/",
        "device_type": "mobile",
        "browser": "Firefox",
        "traffic_source": "organic",
        "coupon": "SPRING",
    }
    lines = "".join(json.dumps({"event_id": f"new-{n}", **event}) + "\n" for n in range(count))
    command = [WEIR, "produce", "-c", str(job.pipeline)]
    subprocess.run(
        command, input=lines, text=True, check=True, capture_output=True, timeout=LONGEST
    )
    done = job.run()
    assert done.returncode == 0, done.stderr
    job.verify()


def test_a_field_that_the_contract_gained_is_null_before(spark, folder):
    job = Job(folder / "grown")
    job.go(200)
    grow(job, 3)
    coupons = f"SELECT coupon, count(*) FROM {job.table} GROUP BY 1 ORDER BY 1"
    assert [tuple(row) for row in spark.sql(coupons)] == [(None, 200), ("SPRING", 3)]
    assert "ADD COLUMNS" in operations(spark, job).values()
    spark.sql(f"OPTIMIZE {job.table}")
    job.go(10)
    assert [tuple(row) for row in spark.sql(coupons)] == [(None, 210), ("SPRING", 3)]


def test_a_restore_stops_the_pipeline_until_it_is_accepted(spark, folder):
    job = Job(folder / "restore")
    job.go(300)
    version = max(operations(spark, job))
    job.go(100)
    spark.sql(f"RESTORE TABLE {job.table} TO VERSION AS OF {version}")
    job.generate(50)
    done = job.run()
    assert done.returncode != 0
    assert "WEIR0203" in done.stderr
    assert job.rows() == 300
    done = job.run("--accept", "rollback")
    assert done.returncode == 0, done.stderr
    assert job.rows() == 350


def test_what_weir_cannot_write_stops_it_by_name(spark, folder):
    job = Job(folder / "mapping")
    job.go(100)
    spark.sql(
        f"ALTER TABLE {job.table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', "
        "'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')"
    )
    job.generate(10)
    done = job.run()
    assert done.returncode != 0
    assert "WEIR0403" in done.stderr and "column mapping" in done.stderr


def create(spark, job, event_date, properties=""):
    columns = column_types(job).items()
    listed = ", ".join(f"`{name}` {kind}" for name, kind in columns if name != "event_date")
    columns = f"({listed}, event_date {event_date})"
    return f"{columns} USING delta PARTITIONED BY (event_date) {properties}"


def test_a_table_that_spark_made(spark, folder):
    like = Job(folder / "like")
    like.go(10)
    job = Job(folder / "foreign", create="never")
    made = create(
        spark, like, "date", "TBLPROPERTIES ('weir.partition.event_date' = 'day(event_time)')"
    )
    spark.sql(f"CREATE TABLE {job.table} {made}")
    job.go(200)
    assert spark.one(f"SELECT count(*) FROM {job.table} WHERE event_date is not null") == 200


def test_a_generated_column_is_refused_by_name(folder):
    """As DeltaTableBuilder makes one: SQL has no clause for it in every version."""
    like = Job(folder / "made")
    like.go(10)
    job = Job(folder / "generated", create="never")
    log = pathlib.Path("retail", "events", "_delta_log", f"{0:020}.json")
    actions = [json.loads(a) for a in (like.folder / "lake" / log).read_text().splitlines()]
    protocol = next(a["protocol"] for a in actions if "protocol" in a)
    protocol["minWriterVersion"] = 4
    metadata = next(a["metaData"] for a in actions if "metaData" in a)
    schema = json.loads(metadata["schemaString"])
    made = next(f for f in schema["fields"] if f["name"] == "event_date")
    made["metadata"] = {"delta.generationExpression": "CAST(event_time AS DATE)"}
    metadata["schemaString"] = json.dumps(schema)
    (job.folder / "lake" / log).parent.mkdir(parents=True)
    (job.folder / "lake" / log).write_text("".join(json.dumps(a) + "\n" for a in actions))
    job.generate(10)
    done = job.run()
    assert done.returncode != 0
    assert "generationExpression of column event_date" in done.stderr


def age(folder, days):
    """As if all files were so old."""
    then = time.time() - days * 86400
    for path in pathlib.Path(folder).rglob("*"):
        os.utime(path, (then, then))


def test_both_formats_outlive_the_maintenance_of_each(spark, folder):
    job = Job(folder / "both", "both")
    job.go(500)
    iceberg = "weir.retail.events"
    seen = "count(*), count(distinct event_id), sum(quantity), cast(sum(price) as string)"

    def both():
        one = spark.sql(f"SELECT {seen} FROM {iceberg}")[0]
        assert one == spark.sql(f"SELECT {seen} FROM {job.table}")[0]
        return one[0]

    assert both() == 500
    for step in range(2):
        age(job.path, 10)
        spark.sql(f"VACUUM {job.table} RETAIN 0 HOURS")
        spark.sql("CALL weir.system.remove_orphan_files(table => 'retail.events')")
        spark.sql(f"REFRESH TABLE {iceberg}")
        assert both() == 500 + 100 * step
        job.go(100)
        spark.sql(f"REFRESH TABLE {iceberg}")
        assert both() == 600 + 100 * step
    job.verify()
    catalog = SqlCatalog(
        "weir",
        uri=f"sqlite:///{job.folder}/lake/catalog.db",
        warehouse=f"file://{job.folder}/lake",
    )
    table = catalog.load_table("retail.events")
    assert table.scan().to_arrow().num_rows == job.rows() == 700
    grow(job, 3)
    spark.sql(f"REFRESH TABLE {iceberg}")
    assert both() == 703
    for name in (iceberg, job.table):
        assert spark.one(f"SELECT count(*) FROM {name} WHERE coupon = 'SPRING'") == 3
        assert spark.one(f"SELECT count(*) FROM {name} WHERE coupon IS NULL") == 700
    assert "/_iceberg/metadata/" in table.metadata_location
