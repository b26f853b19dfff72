"""Every documented exit code, and that its message says what, where and what to do."""
import json
import os
import re
import resource
import shutil
import socket
import subprocess

import pytest

from job import EVENTS, GOOD, ROOT, WEIR, Job, weir

RETAIL = ROOT / "examples" / "retail" / "retail.yaml"


@pytest.fixture
def job(tmp_path):
    return Job(tmp_path)


def expect(done, code, error, *texts):
    assert done.returncode == code, done.stdout + done.stderr
    for text in (error, *texts):
        assert text in done.stderr, done.stderr
    # Once, with a remedy, and never a stack trace.
    assert len(re.findall(rf"error\[{error}\]", done.stderr)) == 1, done.stderr
    assert "terminate called" not in done.stderr


def test_64_unknown_command_and_option():
    expect(weir("rnu"), 64, "WEIR0701", "did you mean `run`?")
    expect(weir("run", "--onec"), 64, "WEIR0701", "did you mean `--once`?")
    expect(weir("run", "--accept", "everything", "-c", RETAIL), 64, "WEIR0701", "offset-gap")


@pytest.mark.parametrize("missing", ["KAFKA_BOOTSTRAP", "KAFKA_TOPIC", "WEIR_STATE"])
@pytest.mark.parametrize("how", ["unset", "blank"])
def test_78_a_variable_is_missing(tmp_path, missing, how):
    env = {"KAFKA_BOOTSTRAP": "localhost:9092", "KAFKA_TOPIC": "t",
           "WEIR_STATE": str(tmp_path / "s"), "WEIR_WAREHOUSE": str(tmp_path / "lake")}
    if how == "blank":
        env[missing] = "  "
    else:
        del env[missing]
        assert missing not in os.environ
    for command in ("run", "validate"):
        expect(weir(command, "-c", RETAIL, env=env), 78, "WEIR0105", missing)


def test_78_the_table_is_missing(tmp_path):
    job = Job(tmp_path, create="never")
    job.produce(*EVENTS.splitlines())
    expect(job.run("--once"), 78, "WEIR0401", "shop.events", "weir tables create")
    expect(job.weir("validate"), 78, "WEIR0401", "weir tables create")
    assert job.weir("tables create").returncode == 0
    assert job.run("--once").returncode == 0
    assert job.rows() == 5


def test_78_the_file_is_wrong(job):
    job.pipeline.write_text(job.pipeline.read_text().replace("on_error", "on_eror"))
    done = job.run("--once")
    expect(done, 78, "WEIR0102", "on_eror", "did you mean `on_error`", "pipeline.yaml:")


def test_3_the_state_was_deleted(job):
    job.produce(*EVENTS.splitlines())
    assert job.run("--once").returncode == 0
    shutil.rmtree(job.folder / "state")
    expect(job.run("--once"), 3, "WEIR0201", "--accept replay", "shop")
    expect(job.weir("validate"), 3, "WEIR0201")
    assert job.rows() == 5
    done = job.run("--once", "--accept", "replay")
    assert done.returncode == 0, done.stderr
    assert job.rows() == 10  # a deliberate replay: every row once more


def test_3_a_demo_does_not_work_in_a_strange_folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    done = weir("demo", "--dir", tmp_path / "mine", "--for", "1s")
    assert done.returncode == 3 and "--dir" in done.stderr
    assert (tmp_path / "mine" / "notes.txt").read_text() == "keep"


def test_65_bad_data(tmp_path):
    job = Job(tmp_path, on_error="fail", quarantine=False)
    job.produce(GOOD, "{")
    expect(job.run("--once"), 65, "WEIR0601", "Invalid clickstream event")


def test_69_nobody_is_there(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = weir("generate", "--seed", "1", "--count", "1", "--brokers", f"127.0.0.1:{port}",
                "--topic", "t", timeout=150)
    assert done.returncode == 69, done.stderr


def test_1_out_of_memory_is_one_line(tmp_path):
    # A line that never ends, in a process that may not grow.
    limit = 450 << 20
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run(
            [WEIR, "produce", "--spool", tmp_path / "log", "--topic", "t"], stdin=endless,
            capture_output=True, text=True, timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.returncode == 1 and done.stderr == "error: out of memory\n"


def test_1_a_check_found_something_wrong(job):
    job.produce(*EVENTS.splitlines())
    assert job.run("--once").returncode == 0
    files = json.loads(job.weir("tables files", "shop.events", "--format", "json").stdout)
    os.remove(files[0]["path"])
    assert job.weir("verify").returncode == 1


def test_10_unhealthy(job):
    job.produce(*EVENTS.splitlines())
    assert job.run("--once").returncode == 0
    assert job.weir("status").returncode == 0
    shutil.rmtree(job.folder / "log")
    done = job.weir("status")
    assert done.returncode == 10 and "UNHEALTHY" in done.stdout


def test_help_knows_every_error_that_is_documented():
    documented = re.findall(r"^\| (WEIR\d{4}) ", (ROOT / "docs" / "ERRORS.md").read_text(), re.M)
    assert len(documented) > 30
    for code in documented[::7]:
        assert weir("help", code).stdout.startswith(code)
