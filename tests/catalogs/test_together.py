"""All tables of an epoch in one step, on real SQL catalogs: who looks again and again never sees a
part of an epoch, while the program is killed, its catalog goes away, answers to COMMIT are lost and
another writer is at one of the tables.
"""

import json
import os
import pathlib
import random
import signal
import sqlite3
import threading
import time

import psycopg2
from pyiceberg.exceptions import CommitFailedException

from cutter import Cutter
from job import Job

KILLS = int(os.environ.get("KILLS", "3"))
RAW = """  {table}_raw: {{from: source}}
"""


def pointers(lake, tables):
    """What all tables point at, in one statement."""
    names = [table.split(".")[1] for table in tables]
    marks = ", ".join(f"'{name}'" for name in names)
    ask = ("SELECT table_name, metadata_location FROM iceberg_tables WHERE table_name IN "
           f"({marks}) ORDER BY 1")
    url = getattr(lake, "url", None)
    connection = psycopg2.connect(url) if url else sqlite3.connect(
        lake.folder / "catalog.db", timeout=30)
    try:
        cursor = connection.cursor()
        cursor.execute(ask)
        return cursor.fetchall()
    finally:
        connection.close()


def progress(location):
    path = pathlib.Path(location.removeprefix("file://"))
    properties = json.loads(path.read_text())["properties"]
    return json.loads(properties.get("weir.progress.shop", "{}")).get("partitions")


class Reader(threading.Thread):
    """Looks at the tables without end, and keeps what does not fit together."""

    def __init__(self, lake, tables):
        super().__init__(daemon=True)
        self.lake, self.tables = lake, tables
        self.seen, self.halves, self.ended = set(), [], threading.Event()

    def run(self):
        while not self.ended.is_set():
            try:
                rows = pointers(self.lake, self.tables)
                shown = [progress(location) for _, location in rows]
            except (psycopg2.Error, sqlite3.Error, FileNotFoundError):
                continue  # the server is away, or the file was succeeded long ago
            if len(rows) != len(self.tables):
                continue
            self.seen.add(json.dumps(shown[0]))
            if any(one != shown[0] for one in shown):
                self.halves.append(rows)

    def finish(self):
        self.ended.set()
        self.join()


class Intruder(threading.Thread):
    """Changes one of the tables, again and again."""

    def __init__(self, lake, table):
        super().__init__(daemon=True)
        self.lake, self.table, self.changes, self.ended = lake, table, 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.15):
            try:
                with self.lake.table(self.table).transaction() as change:
                    change.set_properties(changes=str(self.changes))
                self.changes += 1
            except CommitFailedException:
                pass  # ours was first
            except Exception:  # whatever a client says of a server that was killed
                if self.ended.wait(0.5):
                    return

    def finish(self):
        self.ended.set()
        self.join()


def through(lake, keys):
    """The keys of a pipeline whose answers to COMMIT can be lost, and what loses them."""
    if not hasattr(lake, "url"):
        return None, keys
    port = lake.url.split(":")[-1].split("/")[0]
    relay = Cutter(int(port), lambda data: b"COMMIT\0" in data)
    return relay, keys.replace(f":{port}/", f":{relay.own_port}/")


def test_no_look_sees_a_part_of_an_epoch(database, tmp_path, name):
    relay, keys = through(database, database.pipeline_keys())
    job = Job(tmp_path, database, name, max_rows=100, tables=RAW, keys=keys)
    tables = [name, f"{name}_raw"]
    job.generate(100)
    job.must("run --once")
    reader, intruder = Reader(database, tables), Intruder(database, f"{name}_raw")
    reader.start()
    intruder.start()
    try:
        for round in range(KILLS):
            job.generate(3000)
            running = job.start()
            end = time.monotonic() + random.uniform(1.0, 2.0)
            while time.monotonic() < end:
                time.sleep(0.2)
                if relay:
                    relay.armed = True
            if round == 1:
                database.restart()
            assert running.poll() in (None, 69), (job.folder / "run.log").read_text()[-2000:]
            running.send_signal(signal.SIGKILL)
            running.wait()
        if relay:
            relay.armed = False
        job.must("run --once")
    finally:
        reader.finish()
        intruder.finish()
    job.must("verify")
    print(f"\n{len(reader.seen)} states seen, {intruder.changes} changes of others, "
          f"{relay.lost if relay else 0} answers lost")
    assert reader.halves == []
    assert len(reader.seen) > 10 and intruder.changes > 0
    assert job.rows() == job.events
    if relay:
        relay.close()
    raw = database.table(f"{name}_raw").scan().to_arrow()
    assert raw.num_rows == job.events
    # The others' change is still there, and nothing of theirs was lost on the way.
    assert database.table(f"{name}_raw").properties["changes"] == str(intruder.changes - 1)
