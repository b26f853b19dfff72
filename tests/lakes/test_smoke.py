"""A hundred epochs on a lake with three kills: the tables are those of a run that nobody disturbs,
by every format and a reader that shares nothing with the program; and one golden scenario.

WEIR_LAKES names the lakes, as tests/services/lake.py spells them.
"""

import collections
import json
import os
import random
import signal
import subprocess
import time

import pytest

from lake import Lake
from program import ROOT, WEIR

CONTRACT = ROOT / "examples" / "retail" / "retail_event.yaml"
SCENARIO = ROOT / "tests" / "golden" / "session_merged_over_a_restart.yaml"
SEED = int(os.environ.get("WEIR_KILL_SEED", str(random.SystemRandom().randrange(10**9))))
LAKES = os.environ.get("WEIR_LAKES", "iceberg/folder/sqlite").split()
EPOCHS, ROWS, KILLS = 100, 20, 3

PIPELINE = """\
pipeline: shop
source: {{spool: {log}, topic: clicks}}
{lake}contract: {contract}
epoch: {{every: 1m, max_rows: {rows}}}
watermark: {{delay: 10m}}
tables:
  shop.raw: {{from: source, keep_snapshots: 5, expire_after: 1m}}
  shop.events: {{from: valid, dedupe: {{key: event_id}}, partition_by: [day(event_time)]}}
  shop.bad: {{from: invalid}}
  shop.late: {{from: late}}
"""
TABLES = ("shop.raw", "shop.events", "shop.bad", "shop.late")


class Job:
    def __init__(self, folder, name, log):
        self.folder = folder
        folder.mkdir()
        self.lake = Lake(name, folder)
        (folder / "pipeline.yaml").write_text(PIPELINE.format(
            log=log, contract=CONTRACT, rows=ROWS, lake=self.lake.pipeline_keys()))

    def start(self):
        with open(self.folder / "run.log", "ab") as out:
            return subprocess.Popen(
                [WEIR, "run", "-c", "pipeline.yaml", "--once"], cwd=self.folder, stdout=out,
                stderr=out, stdin=subprocess.DEVNULL,
                env=dict(os.environ, WEIR_FAIL_POINT_LOG=str(self.folder / "hits")))

    def hits(self):
        path = self.folder / "hits"
        return path.read_text().split() if path.exists() else []

    def said(self):
        return (self.folder / "run.log").read_text(errors="replace")[-4000:]

    def weir(self, *words):
        done = subprocess.run([WEIR, *words, "-c", "pipeline.yaml"], cwd=self.folder, text=True,
                              capture_output=True, timeout=300)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def drain(self):
        assert self.start().wait(timeout=300) == 0, self.said()

    def contents(self):
        """Rows of each table as a multiset, which all formats must agree on."""
        found = {}
        for table in TABLES:
            sides = {side: rows_of(arrow) for side, arrow in self.lake.sides(table).items()}
            assert len({frozenset(rows.items()) for rows in sides.values()}) == 1, table
            found[table] = sides.popitem()[1]
        return found


def rows_of(arrow):
    # A Delta table has its partition as a column; the clock says when a row came in.
    names = sorted(set(arrow.column_names) - {"event_date", "ingestion_time"})
    columns = [[sorted(v) if isinstance(v, list) else v for v in arrow.column(name).to_pylist()]
               for name in names]
    return collections.Counter(repr(row) for row in zip(*columns))


def kill_on_the_way(job, dice):
    """Somewhere in the next third of the epochs."""
    before, length = len(job.hits()), dice.randrange(10, 15 * EPOCHS // KILLS)
    process = job.start()
    deadline = time.monotonic() + 120
    while len(job.hits()) < before + length and process.poll() is None:
        assert time.monotonic() < deadline, job.said()
        time.sleep(0.001)
    assert process.poll() is None, f"drained before a kill\n{job.said()}"
    process.send_signal(signal.SIGKILL)
    process.wait()
    return job.hits()[-1]


@pytest.mark.parametrize("name", LAKES)
def test_kills_on_a_lake_change_nothing(name, tmp_path):
    count = EPOCHS * ROWS
    subprocess.run(
        [WEIR, *f"generate --seed 5 --count {count} --faults dup=3%,bad=3% --mean-rate 1 --topic "
         f"clicks --partitions 2 --start 2026-09-01T22:00:00Z --spool {tmp_path}/log".split()],
        check=True, capture_output=True)
    calm = Job(tmp_path / "calm", name, tmp_path / "log")
    calm.drain()
    expected = calm.contents()
    assert expected["shop.raw"].total() == count and expected["shop.bad"].total() > 0
    assert json.loads(calm.weir("verify", "--format", "json"))
    killed = Job(tmp_path / "killed", name, tmp_path / "log")
    dice = random.Random(SEED)
    steps = [kill_on_the_way(killed, dice) for _ in range(KILLS)]
    print(f"\n{name}: WEIR_KILL_SEED={SEED}: killed behind {', '.join(steps)}")
    killed.drain()
    assert killed.contents() == expected
    killed.weir("verify")


@pytest.mark.parametrize("name", LAKES)
def test_a_golden_scenario_on_a_lake(name, tmp_path):
    job = Job(tmp_path / "golden", name, tmp_path / "log")
    done = subprocess.run([WEIR, "test", SCENARIO, "--lake", "pipeline.yaml"], cwd=job.folder,
                          text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
