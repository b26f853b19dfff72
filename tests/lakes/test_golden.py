"""All golden scenarios with their tables and their state on the lake that WEIR_LAKE names, also
with a new process after each record and with processes that die."""

import os
import pathlib
import subprocess

import lake

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = pathlib.Path(os.environ.get("WEIR", ROOT / "build" / "weir")).resolve()
PIPELINE = """\
pipeline: golden
source: {spool: ./log, topic: clicks}
contract: {name: c, fields: {id: string}}
tables: {s.raw: {from: source}}
on_error: fail
"""


def test_scenarios_on_a_lake(tmp_path):
    (tmp_path / "pipeline.yaml").write_text(lake.Lake(lake.chosen(), tmp_path).settle(PIPELINE))
    done = subprocess.run(
        [WEIR, "test", ROOT / "tests" / "golden", "--variants", "--lake", "pipeline.yaml"],
        cwd=tmp_path, text=True, capture_output=True, timeout=3500)
    print(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
