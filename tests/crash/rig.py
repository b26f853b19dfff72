"""A retail job on the embedded log or a broker, to be killed and looked at.

Rig makes a folder with a pipeline, runs the program with failure points armed, reads all tables by
PyIceberg and delta-rs (which share nothing with the program) and compares all columns but
ingestion_time. WEIR_LAKE says where the tables are, as tests/services/lake.py spells it.
"""

import collections
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess

import lake
from program import LONGEST, ROOT, WEIR

FORMAT = lake.chosen().split("/", maxsplit=1)[0]

# Little is kept, so that old versions are removed all the time.
KEEP = """keep_snapshots: 5, expire_after: 1m, properties: {delta.checkpointInterval: "3",
    delta.logRetentionDuration: "interval 0 seconds"}"""
TABLES = ("shop.bronze", "shop.quarantine", "shop.events")

PIPELINE = """\
pipeline: shop
source: {source}
contract: {contract}
epoch: {{every: 1s, max_rows: {max_rows}}}
tables:
  shop.bronze: {{from: source, {keep}}}
  shop.quarantine: {{from: invalid, {keep}}}
  shop.events: {{from: valid, partition_by: [day(event_time)], {keep}}}
on_error: quarantine
"""


class Rig:
    def __init__(
        self,
        folder,
        max_rows=300,
        source="{spool: ../log, topic: clicks}",
        pipeline=PIPELINE,
        tables=TABLES,
    ):
        """pipeline: the text of another job, in which the same things are filled in."""
        self.tables = tables
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        contract = ROOT / "examples" / "retail" / "retail_event.yaml"
        self.pipeline = self.folder / "pipeline.yaml"
        self.lake = lake.Lake(lake.chosen(), self.folder)
        self.write = lambda max_rows: self.pipeline.write_text(
            self.lake.settle(
                pipeline.format(source=source, contract=contract, max_rows=max_rows, keep=KEEP)
            )
        )
        self.write(max_rows)
        self.hits_file = self.folder / "hits"

    def start(self, *arguments, point=None):
        """Starts `weir run`; point: "name:n", where it must die."""
        environment = dict(os.environ, WEIR_FAIL_POINT_LOG=str(self.hits_file))
        environment.pop("WEIR_FAIL_POINT", None)
        if point:
            environment["WEIR_FAIL_POINT"] = point
        log = open(self.folder / "run.log", "ab")
        return subprocess.Popen(
            [WEIR, "run", "-c", self.pipeline, *arguments],
            env=environment,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )

    def run(self, *arguments, point=None, timeout=LONGEST):
        """The exit code; -9 when it was killed."""
        return self.start(*arguments, point=point).wait(timeout=timeout)

    def log(self):
        return (self.folder / "run.log").read_text(errors="replace")

    def hits(self):
        if not self.hits_file.exists():
            return collections.Counter()
        return collections.Counter(self.hits_file.read_text().split())

    def verify(self):
        return subprocess.run([WEIR, "verify", "-c", self.pipeline], capture_output=True, text=True)

    def contents(self):
        """Table -> (rows, a hash over all rows that does not depend on their order)."""
        found = {}
        for name in self.tables:
            sides = {side: digest(arrow) for side, arrow in self.lake.sides(name).items()}
            assert len(set(sides.values())) == 1, f"the two formats of {name} differ"
            found[name] = sides.popitem()[1]
        return found


def digest(arrow):
    # event_date is the partition of a Delta table and in no row of an Iceberg one.
    left_out = ("ingestion_time", "event_date")
    columns = [c for c in sorted(arrow.column_names) if c not in left_out]
    total = 0
    for row in zip(*(map(in_order, arrow.column(c).to_pylist()) for c in columns)):
        total += int.from_bytes(hashlib.sha256(repr(row).encode()).digest()[:8], "big")
    return arrow.num_rows, total % 2**64


def in_order(value):
    """The pairs of a map have none of their own."""
    return sorted(value) if isinstance(value, list) else value


def generate(folder, count, partitions=2, seed=7, faults="dup=2%,bad=2%", more=()):
    """Fills the embedded log `folder`/log with shop events."""
    target = pathlib.Path(folder) / "log"
    subprocess.run(
        [
            WEIR,
            "generate",
            "--seed",
            str(seed),
            "--count",
            str(count),
            "--faults",
            faults,
            "--spool",
            str(target),
            "--topic",
            "clicks",
            "--partitions",
            str(partitions),
            *more,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def killed(code):
    return code == -signal.SIGKILL
