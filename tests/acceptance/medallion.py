"""The job of an example in a folder: run it, kill it, read its tables by PyIceberg, and by delta-rs
where they are Delta tables. WEIR_LAKE names the lake, as tests/services/lake.py spells it; unless
given, the example's own."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

from pyiceberg.catalog.sql import SqlCatalog

import lake
from program import LONGEST, ROOT, WEIR

EXAMPLE = ROOT / "examples" / "medallion"
PARTITIONS = 4
FAULTS = "late=2%:20m,dup=5%,bad=0.5%,tombstone=0.3%"


def weir(*arguments, stdin=None, env=None, timeout=300):
    """Runs the program to its end, which must be a good one; returns what it printed."""
    done = subprocess.run(
        [WEIR, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        env=dict(os.environ, **(env or {})),
        timeout=timeout,
    )
    assert done.returncode == 0, f"weir {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}"
    return done


class Corpus:
    """Events of a made-up shop from a Monday evening on, with faults, the same each time."""

    def __init__(
        self,
        count,
        faults=FAULTS,
        seed=5,
        shape="retail",
        partitions=PARTITIONS,
        start="2025-06-02T20:00:00Z",
        mean_rate=1,
    ):
        self.arguments = [
            "--seed",
            seed,
            "--count",
            count,
            "--start",
            start,
            "--shape",
            shape,
            "--mean-rate",
            mean_rate,
        ]
        if partitions:  # none: whatever the topic has, for one that the first event makes
            self.arguments += ["--partitions", partitions]
        if faults:
            self.arguments += ["--faults", faults]

    def write(self, path, key=None, delay="10m"):
        """Whole records, a line each, for whoever computes the answers."""
        more = ["--answer-key", key, "--delay", delay] if key else []
        weir("generate", *self.arguments, "--out", path, "--envelope", *more)
        return path

    def send(self, *target, **options):
        weir("generate", *self.arguments, *target, **options)


class Job:
    """A pipeline file of an example, run in a folder of its own."""

    def __init__(self, folder, example=EXAMPLE, broker=None, topic=None, max_rows=None, every=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in example.glob("*.yaml"):
            if file.name != "compose.yaml":
                shutil.copy(file, self.folder)
        self.pipeline = self.folder / ("pipeline.yaml" if broker else "local.yaml")
        self.lake = None
        if "WEIR_LAKE" in os.environ:
            self.lake = lake.Lake(lake.chosen(), self.folder)
            self.pipeline.write_text(self.lake.settle(self.pipeline.read_text()))
        self.environment = dict(os.environ, WEIR_FAIL_POINT_LOG=str(self.folder / "hits"))
        if broker:
            self.environment["KAFKA_BOOTSTRAP"] = broker
        if topic:
            self.environment["KAFKA_TOPIC"] = topic
        self.set_epoch(max_rows, every)

    def set_epoch(self, max_rows=None, every=None):
        """How much and how long an epoch may take; both may change at a restart."""
        text = self.pipeline.read_text()
        if every:
            text = re.sub(r"every: \w+", f"every: {every}", text)
        text = re.sub(r"  max_rows: \d+\n", "", text)
        if max_rows:
            text = text.replace("\nepoch:\n", f"\nepoch:\n  max_rows: {max_rows}\n")
        self.pipeline.write_text(text)

    def weir(self, command, *arguments, **options):
        return weir(
            *command.split(), "-c", self.pipeline, *arguments, env=self.environment, **options
        )

    def run(self, *arguments, **options):
        return self.weir("run", *arguments, **options)

    def refusal(self, *arguments):
        """Exit code and message of a `weir run` that must not work."""
        done = subprocess.run(
            [WEIR, "run", "-c", self.pipeline, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode != 0, done.stderr
        return done.returncode, done.stderr

    def start(self, *arguments):
        """A running `weir run`; its messages go to run.log."""
        with open(self.folder / "run.log", "ab") as log:
            return subprocess.Popen(
                [WEIR, "run", "-c", self.pipeline, *arguments],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=self.environment,
            )

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=LONGEST) == 0, self.log()

    def log(self):
        return (self.folder / "run.log").read_text(errors="replace")

    def hits(self):
        """The failure points that were passed so far."""
        path = self.folder / "hits"
        return path.read_text().split() if path.exists() else []

    def verify(self, *arguments):
        """What `weir verify` says; it must find nothing wrong."""
        return json.loads(self.weir("verify", *arguments, "--format", "json").stdout)

    def receive(self, corpus):
        """The corpus in the topic, or in the embedded log, that the pipeline reads."""
        corpus.send("-c", self.pipeline, env=self.environment)

    def produce(self, lines):
        self.weir("produce", "--partitions", PARTITIONS, "--envelope", stdin=lines)

    def catalog(self):
        name = re.search(r"lake:\n  name: (\w+)", self.pipeline.read_text())
        return SqlCatalog(
            name[1] if name else "weir",
            uri=f"sqlite:///{self.folder}/lake/catalog.db",
            warehouse=f"file://{self.folder}/lake",
        )

    def table(self, name):
        """A table as Arrow has it, by readers that share nothing with the program."""
        if self.lake is None:
            return self.catalog().load_table(name).scan().to_arrow()
        sides = list(self.lake.sides(name).values())
        assert sides[0].num_rows == sides[-1].num_rows, f"the two formats of {name} differ"
        return sides[0]

    def lose_state(self):
        if self.lake is None:
            shutil.rmtree(self.folder / "state")
        else:
            self.lake.lose_state()

    def read_state(self, folder):
        """The texts of a folder of the state, by path."""
        if self.lake is not None:
            return self.lake.read_state(folder)
        texts = {}
        for path in (self.folder / "state" / folder).rglob("*"):
            with contextlib.suppress(OSError):  # a folder; or collected
                texts[str(path)] = path.read_text()
        return texts

    def contracts(self):
        """The contracts that the state has recorded, in order."""
        return [json.loads(text) for _, text in sorted(self.read_state("contracts").items())]

    def epochs(self):
        """The epoch records that are kept, by number."""
        found = {}
        for path, text in self.read_state("writers").items():
            if "/epochs/" not in path:
                continue
            try:
                record = json.JSONDecoder().raw_decode(text)[0]
            except ValueError:  # half written
                continue
            if record["kind"] == "record":
                found[record["epoch"]] = record
        return found


class EpochWatch:
    """Keeps a copy of every epoch record while a job runs; old ones are collected by the job."""

    def __init__(self, job):
        self.job = job
        self.records = {}
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.done.is_set():
            self.records.update(self.job.epochs())
            time.sleep(0.2)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.records.update(self.job.epochs())
