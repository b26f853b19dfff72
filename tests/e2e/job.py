"""A retail job on the embedded log in a folder, and the program that runs it. WEIR_LAKE names the
lake of its tables, as tests/services/lake.py spells it; unless given, a folder beside it."""
import json
import os
import pathlib
import subprocess

from pyiceberg.catalog.sql import SqlCatalog

import lake
from program import LONGEST, ROOT, WEIR

CONTRACT = ROOT / "examples" / "retail" / "retail_event.yaml"
EVENTS = (ROOT / "examples" / "retail" / "events.ndjson").read_text()

PIPELINE = """\
pipeline: shop
source: {{spool: ./log, topic: clicks}}
state: ./state
contract: {contract}
lake: {{warehouse: ./lake}}
epoch: {{every: {every}, max_rows: {max_rows}}}
tables:
  shop.events: {{from: valid, partition_by: [day(event_time)], create: {create}}}
{quarantine}on_error: {on_error}
"""
QUARANTINE = "  shop.quarantine: {from: invalid}\n"

# A page view that keeps the contract, and the same with a quantity that is no number.
GOOD = json.loads(EVENTS.splitlines()[0])
BAD = dict(GOOD, quantity="several")


def weir(*arguments, stdin=None, cwd=None, env=None, timeout=LONGEST):
    """Runs the program to its end; text in and out."""
    environment = dict(os.environ, **(env or {}))
    return subprocess.run([WEIR, *map(str, arguments)], input=stdin, cwd=cwd, env=environment,
                          capture_output=True, text=True, timeout=timeout)


def catalog(folder):
    """The lake of a job as PyIceberg opens it, which shares nothing with the program."""
    return SqlCatalog("weir", uri=f"sqlite:///{folder}/lake/catalog.db",
                      warehouse=f"file://{folder}/lake")


class Job:
    def __init__(self, folder, on_error="quarantine", quarantine=True, every="1s",
                 max_rows=2_000_000, create="if_missing"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pipeline = self.folder / "pipeline.yaml"
        self.lake = lake.Lake(lake.chosen(), self.folder) if "WEIR_LAKE" in os.environ else None
        self.write(on_error, quarantine, every, max_rows, create)

    def write(self, on_error="quarantine", quarantine=True, every="1s", max_rows=2_000_000,
              create="if_missing"):
        """Writes the pipeline file anew."""
        text = PIPELINE.format(
            contract=CONTRACT, every=every, max_rows=max_rows, create=create, on_error=on_error,
            quarantine=QUARANTINE if quarantine else "")
        self.pipeline.write_text(self.lake.settle(text) if self.lake else text)

    def weir(self, command, *arguments, **options):
        return weir(*command.split(), "-c", self.pipeline, *arguments, **options)

    def run(self, *arguments, **options):
        return self.weir("run", *arguments, **options)

    def start(self, *arguments, **options):
        """A running `weir run`; its messages go to run.log."""
        log = open(self.folder / "run.log", "ab")
        return subprocess.Popen([WEIR, "run", "-c", self.pipeline, *map(str, arguments)],
                                stdout=log, stderr=log, stdin=subprocess.DEVNULL, **options)

    def log(self):
        return (self.folder / "run.log").read_text(errors="replace")

    def produce(self, *events):
        """Events as objects, or lines as text."""
        lines = "".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in events)
        done = self.weir("produce", stdin=lines)
        assert done.returncode == 0, done.stderr
        return done

    def generate(self, count, *arguments, seed=1):
        done = self.weir("generate", "--seed", seed, "--count", count, *arguments)
        assert done.returncode == 0, done.stderr

    def read(self, table="shop.events"):
        """The rows as others read them: by PyIceberg, or delta-rs where it is a Delta table."""
        if self.lake is None:
            return catalog(self.folder).load_table(table).scan().to_arrow().to_pylist()
        return self.lake.sides(table).popitem()[1].to_pylist()

    def rows(self, table="shop.events"):
        """Row count as the program sees it; 0 for a table that is not there."""
        done = self.weir("tables ls", "--format", "json")
        assert done.returncode == 0, done.stderr
        return sum(row["rows"] for row in json.loads(done.stdout) if row["table"] == table)
