"""A Structured Streaming query on Kafka stops, and Weir goes on where it ended, on the same table.

Spark is real, and so is its checkpoint. What it leaves when it dies between its sink's commit and
its own note of it is made by taking that note away; when it dies before the commit, by noting a
batch that never ran.
"""

import json
import os
import shutil
import subprocess

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from program import ROOT, WEIR
from service import server

TOPIC = "retail-clickstream-events"
FIRST, SECOND = 900, 400


class Job:
    """The retail example in a folder, with a broker."""

    def __init__(self, folder, broker):
        self.folder = folder
        for name in ("retail.yaml", "retail_event.yaml"):
            shutil.copy(ROOT / "examples" / "retail" / name, folder)
        (folder / "lake").mkdir()
        self.broker = broker
        self.environment = dict(
            os.environ, KAFKA_BOOTSTRAP=broker, KAFKA_TOPIC=TOPIC, WEIR_STATE=str(folder / "state")
        )
        self.checkpoint = folder / "checkpoint"

    def weir(self, *arguments, code=0):
        done = subprocess.run(
            [WEIR, *map(str, arguments), "-c", self.folder / "retail.yaml"],
            capture_output=True,
            text=True,
            timeout=300,
            env=self.environment,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def generate(self, count, seed):
        self.weir("generate", "--count", count, "--seed", seed, "--partitions", 2)

    def spark(self, rows_a_batch):
        command = [
            ROOT / "tests/services/spark",
            "--conf",
            f"spark.driver.extraClassPath={ROOT}/build/java/spark35-kafka/*",
            ROOT / "tests/conformance/spark_stream.py",
            self.folder / "lake",
            self.checkpoint,
            self.broker,
            TOPIC,
            str(rows_a_batch),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr[-3000:]

    def ids(self):
        catalog = SqlCatalog(
            "weir",
            uri=f"sqlite:///{self.folder}/lake/catalog.db",
            warehouse=f"file://{self.folder}/lake",
        )
        table = catalog.load_table("retail.clickstream_events")
        return sorted(table.scan(selected_fields=("event_id",)).to_arrow()[0].to_pylist())

    def batches(self, kind):
        return sorted(int(p.name) for p in (self.checkpoint / kind).iterdir() if p.name.isdigit())


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("moving")
    with server("kafka", folder / "broker", "--set", "auto.create.topics.enable=true") as broker:
        job = Job(folder, broker)
        job.weir("tables", "create")
        job.generate(FIRST, seed=1)
        job.spark(rows_a_batch=400)
        yield job


def test_the_import_follows_the_table_and_weir_goes_on_without_loss_or_copies(job):
    before = job.ids()
    assert len(before) == FIRST
    last = job.batches("commits")[-1]
    assert last >= 2

    # A batch that was noted and never ran: the table ends before it.
    offsets = job.checkpoint / "offsets"
    ahead = offsets / str(last + 1)
    ahead.write_text((offsets / str(last)).read_text())
    said = job.weir("import", "spark-checkpoint", job.checkpoint, "--dry-run")
    assert f"batch {last + 1} was begun, but the table ends at batch {last}" in said
    ahead.unlink()

    # A batch that is in the table, but was not noted as done.
    (job.checkpoint / "commits" / str(last)).unlink()
    said = job.weir("import", "spark-checkpoint", job.checkpoint)
    assert f"the table holds batch {last}" in said

    job.generate(SECOND, seed=2)
    job.weir("run", "--once")
    after = job.ids()
    assert len(after) == FIRST + SECOND
    assert len(set(after)) == len(after)
    job.weir("verify")

    # The state is there now: a second import would begin anew.
    assert "holds the state" in job.weir("import", "spark-checkpoint", job.checkpoint, code=3)


def test_a_table_that_cannot_tell_is_not_guessed_about(job, tmp_path):
    other = tmp_path / "checkpoint"
    shutil.copytree(job.checkpoint, other)
    (other / "metadata").write_text(json.dumps({"id": "another-query"}))
    job.environment["WEIR_STATE"] = str(tmp_path / "state")
    said = job.weir("import", "spark-checkpoint", other, code=3)
    assert "cannot be told" in said and "--batch" in said


def test_a_consumer_group_becomes_the_start_of_a_pipeline(job, tmp_path):
    job.environment["WEIR_STATE"] = str(tmp_path / "state")
    said = job.weir("import", "kafka-group", "weir-retail", "--dry-run", "--format", "json")
    starts = json.loads(said[said.index("[") : said.rindex("]") + 1])
    assert sum(start["next_offset"] for start in starts) == FIRST + SECOND
    assert "committed nothing" in job.weir("import", "kafka-group", "nobody", code=69)
