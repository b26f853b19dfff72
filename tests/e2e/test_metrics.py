"""The metrics of a running pipeline, read by Prometheus' own parser, and its health checks."""
import contextlib
import time
import urllib.error
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from job import BAD, GOOD, Job
from service import free_port


@pytest.fixture
def job(tmp_path):
    job = Job(tmp_path)
    job.port = free_port()
    with open(job.pipeline, "a") as pipeline:
        pipeline.write(f"metrics: {{listen: 127.0.0.1:{job.port}}}\n")
    return job


@contextlib.contextmanager
def running(job):
    run = job.start()
    try:
        yield run
    finally:
        run.terminate()
        assert run.wait(30) == 0, job.log()


def ask(job, path):
    """Status and text."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{job.port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()
    except urllib.error.URLError:
        return 0, ""


def samples(job):
    """Name and labels -> value, of all that there is."""
    families = text_string_to_metric_families(ask(job, "/metrics")[1])
    return {(sample.name, *sorted(sample.labels.items())): sample.value
            for family in families for sample in family.samples}


def until(job, condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, job.log()
        time.sleep(0.05)


def test_what_was_committed_is_counted(job):
    job.produce(GOOD, GOOD, BAD)
    good = ("weir_events_total", ("outcome", "good"))
    with running(job):
        until(job, lambda: samples(job).get(good) == 2)
        found = samples(job)
        assert found["weir_events_total", ("outcome", "quarantined")] == 1
        assert found["weir_table_rows_total", ("table", "shop.events")] == 2
        assert found["weir_table_rows_total", ("table", "shop.quarantine")] == 1
        assert found["weir_source_records_total", ("topic", "clicks")] == 3
        assert found["weir_source_lag_offsets", ("partition", "0"), ("topic", "clicks")] == 0
        assert found["weir_commit_duration_seconds_count",] == found["weir_epochs_total",] >= 1
        assert time.time() - 60 < found["weir_last_commit_timestamp_seconds",] <= time.time()
        job.produce(GOOD)
        until(job, lambda: samples(job)[good] == 3)


def test_health_and_what_is_not_there(job):
    job.produce(GOOD)
    with running(job):
        until(job, lambda: ask(job, "/readyz") == (200, "ok\n"))
        assert ask(job, "/healthz") == (200, "ok\n")
        assert ask(job, "/")[0] == 404


def test_an_address_that_is_taken_is_told_at_once(job):
    job.produce(GOOD)
    with running(job):
        until(job, lambda: ask(job, "/healthz")[0] == 200)
        other = Job(job.folder / "other")
        other.pipeline.write_text(other.pipeline.read_text() +
                                  f"metrics: {{listen: 127.0.0.1:{job.port}}}\n")
        refused = other.run("--once")
        assert refused.returncode == 78
        assert "WEIR0104" in refused.stderr and str(job.port) in refused.stderr


def test_nobody_is_answered_unless_the_file_says_so(tmp_path):
    job = Job(tmp_path)
    job.produce(GOOD)
    assert "metrics" not in job.run("--once").stderr
