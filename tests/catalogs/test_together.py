"""All tables of an epoch in one step, on real catalogs: who looks again and again into a database
never sees a part of an epoch, while the program is killed, its catalog goes away, answers to COMMIT
are lost and another writer is at one of the tables.
"""

import json
import pathlib
import sqlite3
import time

import psycopg2

from cutter import Cutter
from job import Job
from trouble import RAW, Beside, Intruder, kill_again_and_again


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


class Reader(Beside):
    """Looks at the tables without end, and keeps what does not fit together."""

    def __init__(self, lake, tables):
        super().__init__()
        self.lake, self.tables = lake, tables
        self.seen, self.halves = set(), []

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
    with Reader(database, tables) as reader, \
            Intruder(lambda: database.table(tables[1]), pause=0.15) as intruder:
        kill_again_and_again(job, database.restart, relay, least=1.0, loss=0.2)
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
    assert intruder.lost_nothing()


# Apache's reference server loses the part of a table that others changed between its two looks at
# it, and answers that all is done.
def test_another_writer_hardly_rests(served, tmp_path, name):
    job = Job(tmp_path, served, name, max_rows=50, tables=RAW)
    job.generate(50)
    job.must("run --once")
    running = job.start("--for", "8s")
    with Intruder(lambda: served.table(name), pause=0.02) as intruder:
        while running.poll() is None:
            job.generate(100)
            time.sleep(0.2)
    assert running.returncode == 0, (job.folder / "run.log").read_text()[-2000:]
    job.must("run --once")
    job.must("verify")
    assert job.rows() == served.table(f"{name}_raw").scan().to_arrow().num_rows == job.events
    assert intruder.changes > 10 and intruder.lost_nothing()
