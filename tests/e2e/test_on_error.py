"""Bad events: `fail` stops before their epoch is committed, `quarantine` puts them aside."""
import json

import pytest

from job import BAD, GOOD, Job


@pytest.fixture
def job(tmp_path):
    return Job(tmp_path, on_error="fail", quarantine=False)


def test_fail_stops_with_the_record_named(job):
    job.produce(GOOD, GOOD, BAD, GOOD)
    done = job.run("--once")
    assert done.returncode == 65
    assert "Invalid clickstream event: " in done.stderr
    assert "quantity" in done.stderr and "several" in done.stderr
    for coordinate in ("clicks", "partition 0", "offset 2"):
        assert coordinate in done.stderr
    assert done.stderr.count("Invalid clickstream event") == 1
    assert job.rows() == 0


def test_what_came_before_the_epoch_stays(job):
    job.produce(GOOD, GOOD)
    assert job.run("--once").returncode == 0
    job.produce(GOOD, BAD)
    assert job.run("--once").returncode == 65
    assert job.rows() == 2


def test_a_restart_meets_the_record_again_and_the_switch_gets_past_it(job):
    job.produce(GOOD, BAD, GOOD)
    first, second = job.run("--once"), job.run("--once")
    assert first.returncode == second.returncode == 65
    assert "offset 1" in second.stderr
    job.write(on_error="quarantine")
    done = job.run("--once")
    assert done.returncode == 0, done.stderr
    assert "3 read = 2 good + 1 quarantined" in done.stderr
    assert job.rows() == 2 and job.rows("shop.quarantine") == 1
    assert job.weir("verify").returncode == 0


@pytest.mark.parametrize("line,reason", [
    ("{not json", "malformed"),
    (json.dumps(dict(GOOD, quantity="several")), "wrong_type"),
    (json.dumps(dict(GOOD, user_id="  ")), "blank"),
    (json.dumps({k: v for k, v in GOOD.items() if k != "browser"}), "missing"),
    (json.dumps(dict(GOOD, event_type="teleport")), "not_allowed"),
    ("", "empty"),
])
def test_each_kind_of_bad_event_has_its_reason(tmp_path, line, reason):
    job = Job(tmp_path)
    job.produce(GOOD, line, GOOD)
    assert job.run("--once").returncode == 0
    causes = json.loads(job.weir("quarantine ls", "--format", "json").stdout)
    assert [cause["reason"] for cause in causes] == [reason]
    assert job.rows() == 2


def test_the_raw_bytes_are_kept(tmp_path):
    job = Job(tmp_path)
    raw = '  {"broken": "\\u0000 ü \x7f\ttab" '
    job.produce(raw)
    assert job.run("--once").returncode == 0
    cause = json.loads(job.weir("quarantine ls", "--format", "json").stdout)[0]
    shown = json.loads(job.weir("quarantine show", cause["id"][:6], "--format", "ndjson").stdout)
    assert shown["value"] == raw
    assert (shown["topic"], shown["partition"], shown["offset"]) == ("clicks", 0, 0)
    people = job.weir("quarantine show", cause["id"]).stdout
    assert "offset 0" in people and "\\x09tab" in people
