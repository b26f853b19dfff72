"""Signals, closed pipes, and a second process."""
import signal
import sqlite3
import subprocess
import time

import pytest

from job import GOOD, WEIR, Job, weir


@pytest.fixture
def job(tmp_path):
    # An epoch that would last for an hour: what is committed in the end is so by the signal.
    return Job(tmp_path, every="1h")


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def start(job):
    """A run that has read what is there."""
    process = job.start("-v", "--progress-every", "100ms")
    wait_for(lambda: " read=1 " in job.log())
    return process


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_commits_the_open_epoch_and_exits_0(job, which):
    job.produce(GOOD)
    process = start(job)
    assert job.rows() == 0
    process.send_signal(which)
    assert process.wait(30) == 0, job.log()
    assert "shop: stopped after" in job.log() and "1 epoch, 1 read" in job.log()
    assert job.rows() == 1


@pytest.mark.parametrize("second,code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_second_signal_exits_at_once_and_loses_nothing(job, second, code):
    job.produce(GOOD)
    process = start(job)
    # Somebody holds the catalog, so the commit that the first signal asks for has to wait.
    catalog = sqlite3.connect(job.folder / "lake" / "catalog.db", isolation_level=None)
    catalog.execute("BEGIN IMMEDIATE")
    process.send_signal(signal.SIGTERM)
    wait_for(lambda: "a second signal exits at once" in job.log())
    process.send_signal(second)
    assert process.wait(30) == code, job.log()
    catalog.execute("ROLLBACK")
    assert job.rows() == 0
    done = job.run("--once")
    assert done.returncode == 0, done.stderr
    assert job.rows() == 1 and job.weir("verify").returncode == 0


def test_a_second_process_is_refused_and_named(job):
    job.produce(GOOD)
    process = start(job)
    refused = job.run("--once")
    assert refused.returncode == 75
    assert "WEIR0211" in refused.stderr and str(process.pid) in refused.stderr
    process.terminate()
    assert process.wait(30) == 0
    assert job.rows() == 1
    assert job.run("--once").returncode == 0


def test_kill_9_leaves_nothing_behind_that_hinders(job):
    job.produce(GOOD)
    process = start(job)
    process.kill()
    process.wait()
    done = job.run("--once")
    assert done.returncode == 0, done.stderr
    assert job.rows() == 1


def test_a_reader_that_leaves_ends_the_command_quietly(tmp_path):
    generate = subprocess.Popen(
        [WEIR, "generate", "--seed", "1", "--count", "1000000", "--out", "-"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert generate.stdout.readline().startswith(b"{")
    generate.stdout.close()
    assert generate.wait(60) == 0
    assert b"error" not in generate.stderr.read()


def test_a_full_disk_is_an_error(tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run([WEIR, "version"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 75 and "WEIR0501" in done.stderr


def test_produce_keeps_what_came_before_the_signal(tmp_path):
    log = tmp_path / "log"
    produce = subprocess.Popen([WEIR, "produce", "--spool", log, "--topic", "t"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    produce.stdin.write("one\ntwo\n")
    produce.stdin.flush()
    wait_for(lambda: weir("tail", "--spool", log, "--topic", "t").stdout.count("\n") == 2)
    produce.terminate()
    assert produce.wait(30) == 0
    assert "produced 2 records" in produce.stderr.read()
