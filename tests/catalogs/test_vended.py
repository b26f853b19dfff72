"""REST catalogs that hand out keys for the files of their tables, which the program has none for:
Apache's reference server with its tables on an object store, and SeaweedFS, which is both.
"""

import os
import pathlib
import random
import signal
import tempfile
import time

import pytest

from job import Job
from service import server, service
from vending import Gate, Vendor


RAW = "  {table}_raw: {{from: source}}\n"
KILLS = int(os.environ.get("KILLS", "3"))


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Addresses of the catalog and of its store."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-vended-"))  # PostgreSQL is another user
    with server("s3", folder / "s3") as store, server("postgres", folder / "pg") as database, \
            server("iceberg-rest", folder / "rest", "--database", database, "--s3",
                   store, "--warehouse", "s3://weir/rest") as catalog:
        yield catalog, store


@pytest.fixture(autouse=True)
def without_keys(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def job_at(folder, catalog, store, table, more="vended_credentials: true", keys=""):
    job = Job(folder, None, table, max_rows=500, tables=RAW,
              keys=f"catalog: {{rest: {{uri: {catalog}, {more}}}}}")
    job.pipeline.write_text(
        job.pipeline.read_text() +
        f"s3: {{endpoint: {store}, region: us-east-1, path_style: true{keys}}}\n")
    return job


# How its owner signs requests to SeaweedFS' catalog, whose files need other keys.
SIGNED = "warehouse: ice, signing_service: s3tables, vended_credentials: true"
OWNER = ", access_key: weirkey, secret_key: weirsecret"


def test_a_server_that_wants_signatures_and_hands_out_keys_of_a_table(tmp_path):
    with server("s3", tmp_path / "s3", "--iceberg") as store, Gate(store) as gate:
        catalog = service("s3", "iceberg", "--dir", tmp_path / "s3")
        job = job_at(tmp_path, catalog, gate.url, "retail.signed", more=SIGNED, keys=OWNER)
        job.generate(1000)
        job.must("run --once")
        for _ in range(KILLS):
            job.generate(1500)
            running = job.start()
            time.sleep(random.uniform(0.5, 2.0))
            assert running.poll() is None, (job.folder / "run.log").read_text()[-2000:]
            running.send_signal(signal.SIGKILL)
            running.wait()
        job.must("run --once")
        job.must("verify")
        assert job.rows() == job.events
        print(f"\nkeys used: {gate.used}")
        # Never the owner's own, and those of one table not for another.
        assert all(key.startswith("ASIA") for key in gate.used) and len(gate.used) > 1


def test_a_signature_that_is_not_right_is_told(tmp_path):
    with server("s3", tmp_path / "s3", "--iceberg") as store:
        catalog = service("s3", "iceberg", "--dir", tmp_path / "s3")
        job = job_at(tmp_path, catalog, store, "retail.signed", more=SIGNED,
                     keys=OWNER.replace("weirsecret", "weirsecrot"))
        done = job.weir("validate")
        assert done.returncode != 0 and "WEIR0502" in done.stderr, done.stderr
        assert "signature" in done.stderr and "weirsecrot" not in done.stderr


def test_keys_in_the_settings_of_a_table(places, tmp_path):
    job = job_at(tmp_path, *places, "retail.plain")
    job.generate(2000)
    job.must("run --once")
    job.must("verify")
    assert job.rows() == job.events


def test_without_being_asked_for_keys_there_are_none(places, tmp_path):
    job = job_at(tmp_path, *places, "retail.refused", more="vended_credentials: false")
    job.generate(100)
    done = job.weir("run --once")
    assert done.returncode != 0 and "WEIR0502" in done.stderr, done.stderr


def test_keys_that_end_in_mid_run_are_renewed(places, tmp_path):
    catalog, store = places
    with Vendor(catalog, life=3) as vendor, Gate(store, vendor.is_good) as gate:
        job = job_at(tmp_path, vendor.url, gate.url, "retail.renewed")
        job.generate(2000)
        running = job.start("--for", "10s")
        while running.poll() is None:
            job.generate(300)
        assert running.wait(timeout=60) == 0, (job.folder / "run.log").read_text()[-2000:]
        job.must("run --once")
        job.must("verify")
        assert job.rows() == job.events
        print(f"\nkeys used: {gate.used}, refused {gate.refused}; loads {vendor.loads}, "
              f"asked {vendor.asked}, commits of several tables {vendor.joint}")
        assert len(gate.used) == 2 and vendor.asked > 1
        assert vendor.joint > 3
