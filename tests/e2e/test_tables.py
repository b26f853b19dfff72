"""The commands that look: tables, verify, status, quarantine, validate, config; the formats."""
import csv
import io
import json

import pytest

from job import EVENTS, GOOD, Job, weir


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    made = Job(tmp_path_factory.mktemp("tables"))
    bad = ["{", dict(GOOD, quantity="several"), dict(GOOD, quantity="a lot")]
    made.produce(*EVENTS.splitlines(), *bad)
    assert made.run("--once").returncode == 0
    return made


def as_json(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_listing_has_every_format(job):
    for command in ("tables ls", "tables schema shop.events", "tables snapshots shop.events",
                    "tables files shop.events", "quarantine ls"):
        words = command.split()
        table = job.weir(command)
        assert table.returncode == 0 and "\x1b" not in table.stdout
        rows = as_json(job.weir(command, "--format", "json"))
        lines = job.weir(command, "--format", "ndjson").stdout.splitlines()
        assert [json.loads(line) for line in lines] == rows, words
        parsed = list(csv.DictReader(io.StringIO(job.weir(command, "--format", "csv").stdout)))
        assert len(parsed) == len(rows) == len(table.stdout.splitlines()) - 1, words
        assert list(parsed[0]) == list(rows[0]), words


def test_tables(job):
    listed = as_json(job.weir("tables ls", "--format", "json"))
    assert {row["table"]: row["rows"] for row in listed} == {"shop.events": 5, "shop.quarantine": 3}
    shown = as_json(job.weir("tables show", "shop.events", "--format", "json"))
    assert shown["rows"] == 5 and shown["partitioning"] == "day(event_time)"
    assert shown["next_offset.clicks/0"] == 8
    schema = as_json(job.weir("tables schema", "shop.events", "--format", "json"))
    types = {column["column"]: column["type"] for column in schema}
    assert list(types)[:3] == ["event_id", "event_time", "ingestion_time"]
    assert types["price"] == "decimal(10,2)"
    files = as_json(job.weir("tables files", "shop.events", "--format", "json"))
    assert sum(file["rows"] for file in files) == 5
    # A Delta table has the day as a column of its own.
    day = "event_date=" if job.lake and job.lake.format == "delta" else "event_time_day="
    assert all(file["partition"].startswith(day) for file in files)


def test_a_table_that_is_not_there(job):
    done = job.weir("tables show", "shop.nothing")
    assert done.returncode == 78 and "WEIR0401" in done.stderr
    assert job.weir("tables show", "nothing").returncode == 64


def test_looking_creates_nothing(tmp_path):
    job = Job(tmp_path)
    for command in ("tables ls", "status", "verify", "quarantine ls", "validate --offline"):
        job.weir(command)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipeline.yaml"]


def test_quarantine_groups_by_cause(job):
    causes = as_json(job.weir("quarantine ls", "--format", "json"))
    counts = [(cause["events"], cause["reason"]) for cause in causes]
    assert counts == [(2, "wrong_type"), (1, "malformed")]
    assert causes[0]["pointer"] == "/quantity"
    events = as_json(job.weir("quarantine show", causes[0]["id"], "--format", "json"))
    assert [event["offset"] for event in events] == [6, 7]
    assert json.loads(events[0]["value"])["quantity"] == "several"
    assert job.weir("quarantine show", "zzz").returncode == 64


def test_verify_says_which_proof(job):
    report = as_json(job.weir("verify", "--format", "json"))
    assert report["ok"] and report["ledger"]["read"] == 8
    assert {t["table"]: t["verdict"] for t in report["tables"]} == {"shop.events": "proven",
                                                                   "shop.quarantine": "proven"}
    assert {t["proof"] for t in report["tables"]} == {"offsets"}
    assert "offsets" in job.weir("verify").stdout


def test_status(job):
    status = as_json(job.weir("status", "--format", "json"))
    assert status["healthy"] and not status["running"] and status["waiting"] == 0
    assert status["partitions"] == [{"partition": 0, "next_offset": 8, "log_end": 8, "read": 8}]
    text = job.weir("status").stdout
    assert text.startswith("shop  STOPPED") and "healthy" in text


def test_validate_asks_everything_and_ends_with_the_forecast(job):
    done = job.weir("validate")
    assert done.returncode == 0, done.stderr
    for word in ("source", "catalog", "state", "table shop.events", "file"):
        assert word in done.stdout
    report = as_json(job.weir("validate", "--format", "json"))
    assert report["ok"] and report["forecast"]["files_per_day"] > 0
    offline = as_json(job.weir("validate", "--offline", "--format", "json"))
    assert offline["checks"] == []


def test_validate_reports_a_wrong_file_as_json(tmp_path):
    job = Job(tmp_path)
    job.pipeline.write_text(job.pipeline.read_text().replace("lake:", "lakee:"))
    done = job.weir("validate", "--format", "json")
    assert done.returncode == 78
    report = json.loads(done.stdout)
    assert not report["ok"] and report["diagnostics"]["errors"] >= 1


def test_config_echo_is_a_pipeline_again(job, tmp_path):
    echoed = job.weir("config echo")
    assert echoed.returncode == 0
    (tmp_path / "again.yaml").write_text(echoed.stdout)
    again = weir("config", "echo", "-c", tmp_path / "again.yaml")
    assert again.stdout == echoed.stdout
    assert json.loads(weir("config", "schema").stdout)["$schema"]
    assert json.loads(weir("config", "schema", "contract").stdout)["$schema"]
