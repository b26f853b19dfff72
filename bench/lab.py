"""What the benches stand on: paths, a Kafka broker, corpora, weir pipelines and tables."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys

import measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
WEIR = os.environ.get("WEIR_PROGRAM") or os.path.join(BUILD, "weir")
CONTRACT = os.path.join(ROOT, "examples", "retail", "retail_event.yaml")
READER = os.path.join(BUILD, "venv-test", "bin", "python")
SPARK = os.path.join(BUILD, "venv-spark35")
SPARK_JARS = [os.path.join(BUILD, "java", "spark35"), os.path.join(BUILD, "java", "spark35-kafka")]


def say(text):
    print(text, file=sys.stderr, flush=True)


def fresh(*parts):
    """An empty folder below build/bench."""
    path = os.path.join(BUILD, "bench", *parts)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def load():
    return round(os.getloadavg()[0], 2)


class Broker:
    """One Kafka node on this machine, stopped and removed at the end."""

    def __init__(self):
        self.tool = os.path.join(ROOT, "tests", "services", "kafka")
        self.folder = fresh("kafka")
        self.address = self.call("start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("wipe")

    def call(self, command, *words):
        done = subprocess.run([self.tool, command, "--dir", self.folder, *words], check=True,
                              stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    def create(self, topic, partitions):
        """lz4 on the broker's disk, whatever the producer sends."""
        self.call("topic", "create", "--topic", topic, "--partitions", str(partitions),
                  "--config", "compression.type=lz4")


class Pipeline:
    """A folder with a weir pipeline from Kafka to one Iceberg table, its state and its lake."""

    TABLE = "clickstream_events"

    def __init__(self, folder, brokers, topic, epoch, coordinates=False, table=None):
        self.folder = folder
        self.file = os.path.join(folder, "pipeline.yaml")
        self.catalog = os.path.join(folder, "lake", "catalog.db")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(f"""pipeline: bench
source:
  kafka: {{brokers: "{brokers}", topic: {topic}, start: earliest}}
state: ./state
contract: {CONTRACT}
lake:
  warehouse: ./lake
  catalog: {{sql: "sqlite:./lake/catalog.db"}}
epoch: {epoch}
tables:
  retail.{self.TABLE}:
    from: valid
    create: if_missing
    partition_by: [day(event_time)]
    coordinates: {str(coordinates).lower()}
    {table or ""}
on_error: fail
""")

    def command(self, *options):
        return [WEIR, "run", "-c", self.file, *options]

    def metadata(self):
        """Path of the table's present metadata file, or None before there is a table."""
        return current_metadata(self.catalog, "retail", self.TABLE)

    def facts(self):
        return table_facts(self.metadata())

    def snapshots(self):
        """How many commits with rows the table has."""
        path = self.metadata()
        if not path:
            return 0
        with open(path, encoding="utf-8") as file:
            return len(json.load(file).get("snapshots") or [])


def current_metadata(catalog, namespace, name):
    """Path of a table's present metadata file by an SQLite catalog, or None."""
    if not os.path.exists(catalog):
        return None
    connection = sqlite3.connect(f"file:{catalog}?mode=ro", uri=True, timeout=10)
    try:
        row = connection.execute("SELECT metadata_location FROM iceberg_tables WHERE "
                                 "table_namespace = ? AND table_name = ?",
                                 (namespace, name)).fetchone()
    except sqlite3.OperationalError:  # not made yet
        return None
    finally:
        connection.close()
    return row and row[0].removeprefix("file://")


def table_facts(metadata):
    """Rows, files, bytes and sums of an Iceberg table as other software reads them."""
    done = subprocess.run([READER, os.path.join(ROOT, "bench", "table_facts.py"), metadata],
                          check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def corpus(folder, events, seed, *options):
    """Writes events.ndjson and key.json into a folder; with options, fills a topic too."""
    measure.run([os.path.join(ROOT, "bench", "corpus"), "--dir", folder, "--events", events,
                 "--seed", seed, *options], log=os.path.join(folder, "corpus.log"))
    with open(os.path.join(folder, "key.json"), encoding="utf-8") as file:
        return json.load(file)


def expect_rows(what, facts, key):
    """The table holds what the answer key says, or the figures are worth nothing."""
    valid = key["tables"]["valid"]
    expected = {"rows": valid["rows"], "price_sum": valid["price_sum"],
                "quantity_sum": valid["quantity_sum"], "distinct_ids": valid["unique_rows"]}
    wrong = [f"{name} is {facts[name]}, must be {value}" for name, value in expected.items()
             if str(facts[name]) != str(value)]
    if wrong:
        raise measure.Failed(f"{what}: the table is wrong: {'; '.join(wrong)}")
