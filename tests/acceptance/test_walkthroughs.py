"""The examples as their pages tell to run them, without Kafka: the smoke test of one event,
and each `weir` command of the sections that need nothing else."""

import os
import re
import shlex
import shutil
import subprocess

import pytest

from medallion import ROOT, WEIR, Job, weir

EXAMPLES = ROOT / "examples"


def test_the_smoke_test_of_one_event(tmp_path):
    done = subprocess.run(
        ["sh", EXAMPLES / "medallion" / "smoke.sh"],
        capture_output=True,
        text=True,
        env=dict(os.environ, WEIR=str(WEIR), TMPDIR=str(tmp_path)),
    )
    print("\n" + done.stdout + done.stderr)
    assert done.returncode == 0
    rows = dict(re.findall(r"^(\w+\.\w+) +proven .* (\d+) +\2$", done.stdout, re.MULTILINE))
    assert rows == {
        "bronze.events": "1",
        "silver.events": "1",
        "quarantine.events": "0",
        "late.events": "0",
        "gold.sessions": "1",
        "gold.session_stats": "0",
        "gold.funnel": "4",
        "gold.active_users": "0",
        "gold.event_windows": "0",
        "ops.decisions": "0",
    }
    assert not list(tmp_path.iterdir()), "the smoke test left something behind"


def test_what_one_event_becomes(tmp_path):
    job = Job(tmp_path)
    event = (EXAMPLES / "medallion" / "one_event.ndjson").read_text()
    weir("produce", "-c", job.pipeline, stdin=event)
    job.run("--once", "--final-watermark")
    session = job.table("gold.sessions").to_pylist()
    assert [
        (one["user_id"], one["events"], one["is_bounce"], one["is_open"], one["entry_page"])
        for one in session
    ] == [("u-17", 1, True, False, "https://shop.example/")]
    window = job.table("gold.event_windows").to_pylist()
    assert [(one["event_type"], one["count"], one["users"]) for one in window] == [
        ("page_view", 1, 1)
    ]
    assert str(window[0]["window_start"]) == "2025-06-02 23:55:00+00:00"
    users = job.table("gold.active_users").sort_by("minute").to_pylist()
    assert [one["users_30m"] for one in users] == [1] * 30
    assert [one["users_5m"] for one in users] == [1] * 5 + [0] * 25
    assert str(users[0]["minute"]) == "2025-06-02 23:59:00+00:00"
    stats = job.table("gold.session_stats").to_pylist()
    assert [(one["sessions"], one["median_s"], one["bounces"]) for one in stats] == [(1, 0.0, 1)]


def commands(page, section):
    """The weir commands of a section of a page, each with its words."""
    text = page.read_text().split(f"## {section}\n")[1].split("\n## ")[0]
    lines = re.findall(r"^weir .*$", text.replace("\\\n", " "), re.MULTILINE)
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize("example", ["medallion", "windows"])
def test_the_walkthrough_without_kafka(example, tmp_path):
    shutil.copytree(EXAMPLES / example, tmp_path / example)
    steps = commands(tmp_path / example / "WALKTHROUGH.md", "Without Kafka")
    assert [step[0] for step in steps][:3] == ["generate", "validate", "run"]
    for step in steps:
        done = subprocess.run([WEIR, *step], cwd=tmp_path / example, capture_output=True, text=True)
        assert done.returncode == 0, (step, done.stdout, done.stderr)
        if step[0] == "run":
            assert "left open: " in done.stderr


def test_the_pipelines_of_an_example_make_the_same_tables():
    for example in ("medallion", "windows"):
        texts = [
            (EXAMPLES / example / name).read_text() for name in ("pipeline.yaml", "local.yaml")
        ]
        tables = [re.sub(r" *#.*", "", text).split("\nwatermark:\n")[1] for text in texts]
        assert tables[0] == tables[1]
