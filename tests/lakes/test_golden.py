"""All golden scenarios with their tables and their state on the lake that WEIR_LAKE names, also
with a new process after each record and with processes that die."""

import concurrent.futures
import subprocess

import lake
from program import ROOT, WEIR

PIPELINE = """\
pipeline: golden
source: {spool: ./log, topic: clicks}
contract: {name: c, fields: {id: string}}
tables: {s.raw: {from: source}}
on_error: fail
"""


def run(folder, scenarios):
    return subprocess.run([WEIR, "test", *scenarios, "--variants", "--lake", "pipeline.yaml"],
                          cwd=folder, text=True, capture_output=True, timeout=3500)


def test_scenarios_on_a_lake(tmp_path):
    (tmp_path / "pipeline.yaml").write_text(lake.Lake(lake.chosen(), tmp_path).settle(PIPELINE))
    scenarios = sorted((ROOT / "tests" / "golden").glob("*.yaml"))
    # Most of it is waiting for disks and servers.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        parts = [scenarios[i : i + 8] for i in range(0, len(scenarios), 8)]
        for done in pool.map(lambda part: run(tmp_path, part), parts):
            print(done.stderr.strip())
            assert done.returncode == 0, done.stdout + done.stderr
