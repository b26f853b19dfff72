"""Running a pipeline on the embedded log: to the end, for a time, again, and what it says."""
import json
import os
import re
import subprocess
import time

import pytest

from job import EVENTS, GOOD, WEIR, Job


@pytest.fixture
def job(tmp_path):
    return Job(tmp_path)


def test_once_reads_what_is_there_and_ends(job):
    job.produce(*EVENTS.splitlines())
    done = job.run("--once")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "caught up" in done.stderr
    assert "5 read = 5 good + 0 quarantined + 0 tombstones" in done.stderr
    assert job.rows() == 5
    assert job.weir("verify").returncode == 0


def test_other_programs_read_the_rows(job):
    job.produce(*EVENTS.splitlines())
    assert job.run("--once").returncode == 0
    rows = job.read()
    sent = [json.loads(line) for line in EVENTS.splitlines()]
    assert {row["event_id"] for row in rows} == {event["event_id"] for event in sent}


def test_a_second_run_goes_on_where_the_first_ended(job):
    job.produce(*EVENTS.splitlines())
    assert job.run("--once").returncode == 0
    again = job.run("--once")
    assert again.returncode == 0 and "0 epochs, 0 read" in again.stderr
    job.produce(GOOD)
    assert "1 epoch, 1 read" in job.run("--once").stderr
    assert job.rows() == 6


def test_the_answer_key_agrees(job):
    key = job.folder / "key.json"
    job.generate(20_000, "--faults", "late=2%:20m,dup=5%,bad=0.5%,tombstone=0.2%",
                 "--answer-key", key)
    assert job.run("--once").returncode == 0
    done = job.weir("verify", "--key", key)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "everything agrees" in done.stdout
    job.produce(GOOD)
    assert job.run("--once").returncode == 0
    wrong = job.weir("verify", "--key", key)
    assert wrong.returncode == 1
    assert "valid.rows" in wrong.stdout and "WEIR0602" in wrong.stderr


def test_for_ends_by_itself(job):
    job.produce(GOOD)
    started = time.monotonic()
    done = job.run("--for", "2s")
    assert done.returncode == 0 and "time is up" in done.stderr
    assert 1.5 < time.monotonic() - started < 30
    assert job.rows() == 1


def test_epochs_end_by_rows(job):
    job.write(max_rows=100)
    job.generate(1_000)
    done = job.run("--once")
    assert "10 epochs, 1 000 read" in done.stderr
    assert job.rows() == 1_000


def test_the_first_line_says_what_runs(job):
    job.produce(GOOD)
    done = job.run("--once")
    first = done.stderr.splitlines()[0]
    assert re.search(r"weir \d+\.\d+\.\d+ pipeline shop: topic clicks of log \S+ -> shop.events",
                     first)


def test_progress_is_plain_lines_off_a_terminal(job):
    job.produce(GOOD)
    done = job.run("--for", "2s", "--progress-every", "500ms")
    assert "\x1b" not in done.stderr and "\r" not in done.stderr
    assert done.stderr.count(" progress ") >= 2


def test_messages_can_be_json(job):
    job.produce(GOOD)
    done = job.run("--once", "--log-format", "json")
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    summary = lines[-1]
    assert summary["message"] == "caught up" and summary["read"] == 1


def test_quiet_says_nothing_when_all_is_well(job):
    job.produce(GOOD)
    done = job.run("--once", "-q")
    assert done.returncode == 0 and done.stderr == ""


def test_a_terminal_gets_a_live_line_that_is_gone_at_the_end(job):
    job.generate(1_000)
    script = subprocess.run(
        ["script", "-qec", f"{WEIR} run -c {job.pipeline} --for 2s", "/dev/null"],
        capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
        env={"TERM": "xterm", "PATH": "/usr/bin:/bin",
             **{name: text for name, text in os.environ.items() if name.startswith("WEIR_TEST_")}})
    assert b"\r\x1b[Kshop  " in script.stdout and b" read  " in script.stdout
    # The last thing that was written in place is an empty line, and the summary follows it.
    assert script.stdout.rpartition(b"\x1b[K")[2].startswith(b"shop: time is up after")
