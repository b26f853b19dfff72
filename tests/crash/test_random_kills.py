"""Kills at random moments, with a real Kafka broker: rows equal, ledger balanced, nothing doubled.

WEIR_KILLS says how many (25 unless told; the long tier asks for 200), WEIR_KILL_SEED repeats a run.
"""

import collections
import os
import random
import subprocess
import time

import pytest

import rig
from service import server

KILLS = int(os.environ.get("WEIR_KILLS", "25"))
SEED = int(os.environ.get("WEIR_KILL_SEED", str(random.SystemRandom().randrange(10**9))))
EVENTS = KILLS * 1000


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    with server("kafka", tmp_path_factory.mktemp("broker")) as address:
        yield address


def test_random_kills_change_nothing(broker, tmp_path):
    print(f"\nWEIR_KILL_SEED={SEED}")
    subprocess.run(
        [
            rig.WEIR,
            "generate",
            "--seed",
            "11",
            "--count",
            str(EVENTS),
            "--faults",
            "dup=2%,bad=2%",
            "--brokers",
            broker,
            "--topic",
            "clicks",
            "--partitions",
            "3",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    source = f"{{kafka: {{brokers: '{broker}', topic: clicks}}}}"
    calm = rig.Rig(tmp_path / "calm", max_rows=2000, source=source)
    assert calm.run("--once") == 0, calm.log()
    expected = calm.contents()
    assert expected["shop.bronze"][0] == EVENTS

    job = rig.Rig(tmp_path / "killed", max_rows=100, source=source)
    dice = random.Random(SEED)
    steps = collections.Counter()
    for kill in range(KILLS):
        before = sum(job.hits().values())
        process = job.start("--once")
        wait_for_hits(job, before + dice.randrange(3, 120), process)
        time.sleep(dice.random() * 0.005)
        assert process.poll() is None, f"drained before kill {kill}\n{job.log()}"
        process.kill()
        process.wait()
        steps[job.hits_file.read_text().split()[-1]] += 1
    print(f"{KILLS} kills, by the last step before each:")
    for step, times in steps.most_common():
        print(f"{times:6}  {step}")
    assert job.run("--once", timeout=900) == 0, job.log()
    assert job.contents() == expected
    proof = job.verify()
    assert proof.returncode == 0, proof.stdout + proof.stderr


def wait_for_hits(job, count, process):
    deadline = time.monotonic() + 60
    while sum(job.hits().values()) < count and process.poll() is None:
        assert time.monotonic() < deadline, f"no progress\n{job.log()}"
        time.sleep(0.001)
