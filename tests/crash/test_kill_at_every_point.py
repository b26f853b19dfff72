"""Kills the process at every failure point, restarts it, and compares all tables.

Points of the start (seal, claim, sweep, takeover) are only passed by a process that finds a
dead one: for them a first process is killed in mid-run, and the second one at the point.
"""

import collections
import os
import pathlib
import re

import pytest

import rig

POINTS = re.findall(
    r'WEIR_FAIL_POINT_NAME\(\w+,\s*"([^"]+)"\)',
    (rig.ROOT / "src" / "base" / "fail_point.inc").read_text(),
)
if rig.FORMAT == "delta":  # these files are Iceberg's
    POINTS = [p for p in POINTS if p not in ("apply.manifests.after", "apply.metadata.after")]
# test_contract_change.py dies at these.
OF_A_CHANGE = {"evolve.before", "evolve.between_sides", "evolve.after", "contract.recorded"}
POINTS = [point for point in POINTS if point not in OF_A_CHANGE]
OF_THE_START = {
    "seal.before",
    "seal.after",
    "takeover.applied",
    "claim.before",
    "claim.after",
    "sweep.before",
    "sweep.after",
}
TURNS = range(1, int(os.environ.get("WEIR_TURNS", "2")) + 1)  # die when reached the n-th time
hits = collections.Counter()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kill")
    rig.generate(folder, 3000)
    calm = rig.Rig(folder / "calm", max_rows=40)
    assert calm.run("--once") == 0, calm.log()
    hits.update(calm.hits())
    return folder, calm.contents()


def test_the_undisturbed_run_is_right(undisturbed):
    folder, tables = undisturbed
    assert tables["shop.bronze"][0] == 3000
    assert tables["shop.events"][0] + tables["shop.quarantine"][0] == 3000
    assert tables["shop.quarantine"][0] > 0


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_changes_nothing(undisturbed, point, turn):
    folder, expected = undisturbed
    job = rig.Rig(folder / "killed", max_rows=40)
    if point in OF_THE_START:
        assert rig.killed(job.run("--once", point="record.after:20")), job.log()
        for _ in range(turn - 1):
            assert rig.killed(job.run("--once", point="record.after:1")), job.log()
        died = rig.killed(job.run("--once", point=f"{point}:1"))
    else:
        died = rig.killed(job.run("--once", point=f"{point}:{turn * 3}"))
    assert died, f"{point} was never reached\n{job.log()}"
    assert job.run("--once") == 0, job.log()
    assert job.contents() == expected
    proof = job.verify()
    assert proof.returncode == 0, proof.stdout + proof.stderr
    hits.update(job.hits())


def test_every_point_was_hit(undisturbed):
    print()
    for point in POINTS:
        print(f"{hits[point]:8}  {point}")
    assert [point for point in POINTS if hits[point] == 0] == []
