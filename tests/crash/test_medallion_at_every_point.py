"""The medallion job, with all its operator state, killed at every failure point: all tables equal.

A few hours of a shop in 75 epochs, so that keys expire, sessions and windows close, funnels are
replaced, old state and old snapshots are removed on both sides of every kill. WEIR_KILL_TURNS says
at which passages of a point to die: one in `make test`, more in the long tests.
"""

import collections
import os
import pathlib
import shutil
import tempfile

import pytest

import rig
from test_kill_at_every_point import OF_THE_START, POINTS

TABLES = (
    "bronze.events",
    "silver.events",
    "quarantine.events",
    "late.events",
    "gold.sessions",
    "gold.session_stats",
    "gold.funnel",
    "gold.active_users",
    "gold.event_windows",
)
KEEP = "{keep}"
PIPELINE = f"""\
pipeline: medallion
source: {{source}}
contract: {{contract}}
epoch: {{{{every: 1m, max_rows: {{max_rows}}}}}}
watermark: {{{{delay: 10m, idle_after: 60s, max_future: 5m}}}}
on_error: quarantine
tables:
  bronze.events: {{{{from: source, {KEEP}}}}}
  silver.events: {{{{from: valid, dedupe: {{{{key: event_id}}}}, {KEEP}}}}}
  quarantine.events: {{{{from: invalid}}}}
  late.events: {{{{from: late}}}}
  gold.sessions: {{{{sessions: {{{{by: user_id, gap: 30m}}}}, {KEEP}}}}}
  gold.session_stats: {{{{session_stats: {{{{size: 1h}}}}}}}}
  gold.funnel:
    funnel: {{{{steps: [product_view, add_to_cart, checkout_start, purchase], size: 1h}}}}
  gold.active_users: {{{{active_users: {{{{user: user_id}}}}}}}}
  gold.event_windows: {{{{windows: {{{{size: 5m, by: [event_type]}}}}, {KEEP}}}}}
"""
COUNT, MAX_ROWS = 3000, 40
TURNS = [int(turn) for turn in os.environ.get("WEIR_KILL_TURNS", "2").split()]
hits = collections.Counter()


def job_in(folder):
    return rig.Rig(folder, max_rows=MAX_ROWS, pipeline=PIPELINE, tables=TABLES)


@pytest.fixture(scope="module")
def undisturbed():
    # A kill loses nothing that the kernel has, so memory will do, and commits cost no time.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(dir=memory))
    try:
        rig.generate(folder, COUNT, faults="late=2%:20m,dup=5%,bad=1%,tombstone=0.5%",
                     more=("--mean-rate", "1", "--start", "2025-06-02T02:00:00Z"))
        calm = job_in(folder / "calm")
        assert calm.run("--once") == 0, calm.log()
        yield folder, calm.contents(), calm.hits()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_the_undisturbed_run_fills_every_table(undisturbed):
    _, tables, _ = undisturbed
    print()
    for name, (rows, checksum) in tables.items():
        print(f"  {name:20} {rows:>6} rows {checksum:016x}")
        assert rows > 0, name
    assert tables["bronze.events"][0] == COUNT


def passage(passed, point, wanted):
    """Which passage of a point to die at: `wanted`, or one in the first half of a run that passes
    it less often. How often some are passed depends a little on how fast the machine is."""
    return 1 + (wanted - 1) % max(1, passed[point] // 2)


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_changes_no_table(undisturbed, point, turn):
    folder, expected, passed = undisturbed
    job = job_in(folder / "killed")
    if point in OF_THE_START:
        first = passage(passed, "record.after", 10 * turn)
        assert rig.killed(job.run("--once", point=f"record.after:{first}")), job.log()
        died = rig.killed(job.run("--once", point=f"{point}:1"))
    else:
        died = rig.killed(job.run("--once", point=f"{point}:{passage(passed, point, 4 * turn)}"))
    assert died, f"{point} was never reached\n{job.log()}"
    job.write(max_rows=10 * MAX_ROWS)  # what follows may be cut as it likes
    assert job.run("--once") == 0, job.log()
    assert job.contents() == expected
    proof = job.verify()
    assert proof.returncode == 0, proof.stdout + proof.stderr
    hits.update(job.hits())


def test_every_point_was_passed(undisturbed):
    assert [point for point in POINTS if hits[point] == 0] == []
