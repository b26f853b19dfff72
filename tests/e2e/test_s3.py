"""The retail job with its state and its lake in an object store: read back by others, killed and
started again, through a line that breaks, and on a store that cannot decide a race."""
import importlib
import os
import pathlib
import random
import re
import signal
import time

import duckdb
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable

from job import BAD, CONTRACT, GOOD, Job
from local_server import new_certificate
from s3_proxy import CarelessStore, FaultyProxy, KeyService
from service import server

PIPELINE = """\
pipeline: shop
source: {{spool: ./log, topic: clicks}}
state: s3://weir/{prefix}/state
contract: {contract}
lake: {{warehouse: "s3://weir/{prefix}/lake a+b%20é", catalog: {catalog}}}
s3:
  endpoint: {endpoint}
  region: us-east-1
  access_key: weirkey
  secret_key: ${{SECRET}}
epoch: {{every: 200ms, max_rows: {max_rows}}}
tables:
  shop.events: {{from: valid, partition_by: [day(event_time)]}}
  shop.quarantine: {{from: invalid}}
"""


class S3Job(Job):
    def __init__(self, folder, endpoint, catalog="{folder: true}", max_rows=2_000_000):
        self.prefix, self.endpoint, self.catalog = folder.name, endpoint, catalog
        super().__init__(folder, max_rows=max_rows)

    def write(self, _on_error="", _quarantine=True, _every="", max_rows=2_000_000, _create=""):
        self.pipeline.write_text(PIPELINE.format(
            prefix=self.prefix, contract=CONTRACT, endpoint=self.endpoint, catalog=self.catalog,
            max_rows=max_rows))

    def through(self, endpoint):
        """The same job by another way to the store."""
        text = self.pipeline.read_text().replace(self.endpoint, endpoint)
        self.pipeline.write_text(text)
        self.endpoint = endpoint


@pytest.fixture(scope="module", autouse=True)
def secret():
    os.environ["SECRET"] = "weirsecret"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with server("s3", tmp_path_factory.mktemp("store")) as endpoint:
        yield endpoint


def reader_properties(endpoint):
    return {"s3.endpoint": endpoint, "s3.access-key-id": "weirkey", "s3.region": "us-east-1",
            "s3.secret-access-key": "weirsecret",
            "py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO"}


def events(count):
    return [dict(GOOD, event_id=f"e{i}") for i in range(count)]


def wait_until(condition, job, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, job.log()
        time.sleep(0.2)


def check_exact(job, good, bad=0):
    """Every event once, as the ledger and the rows say."""
    assert job.rows() == good
    assert job.rows("shop.quarantine") == bad
    done = job.weir("verify")
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_job_runs_and_others_read_its_tables(tmp_path, store):
    job = S3Job(tmp_path, store, catalog=f"{{sql: 'sqlite:{tmp_path}/catalog.db'}}")
    job.produce(*events(300), BAD)
    checked = job.weir("validate")
    done = job.run("--once")
    assert done.returncode == 0, done.stderr
    assert "weirsecret" not in done.stdout + done.stderr + checked.stdout + checked.stderr
    check_exact(job, 300, 1)
    assert job.weir("status").returncode == 0
    listed = job.weir("quarantine ls")
    assert listed.returncode == 0 and "quantity" in listed.stdout, listed.stderr
    assert not (tmp_path / "state").exists() and not (tmp_path / "lake").exists()

    catalog = SqlCatalog("weir", uri=f"sqlite:///{tmp_path}/catalog.db", **reader_properties(store))
    table = catalog.load_table("shop.events")
    ids = table.scan(selected_fields=("event_id",)).to_arrow()["event_id"].to_pylist()
    assert sorted(ids) == sorted(e["event_id"] for e in events(300))

    duck = duckdb.connect()
    for name in ("avro", "iceberg", "httpfs"):
        package = pathlib.Path(importlib.import_module(f"duckdb_extension_{name}").__file__).parent
        duck.execute(f"LOAD '{next(package.glob('**/*.duckdb_extension'))}'")
    duck.execute(f"""CREATE SECRET (TYPE s3, KEY_ID 'weirkey', SECRET 'weirsecret', USE_SSL false,
                     ENDPOINT '{store.removeprefix("http://")}', URL_STYLE 'path')""")
    files = [f.file.file_path for f in table.scan().plan_files()]
    assert duck.execute("SELECT count(DISTINCT event_id) FROM read_parquet(?)",
                        [files]).fetchone() == (300,)


def test_a_folder_catalog_on_the_store(tmp_path, store):
    job = S3Job(tmp_path, store)
    for part in range(3):
        job.produce(*events(300)[part * 100:part * 100 + 100])
        assert job.run("--once").returncode == 0
    check_exact(job, 300)
    hint = f"s3://weir/{job.prefix}/lake a+b%20é/shop/events/metadata/v4.metadata.json"
    table = StaticTable.from_metadata(hint, reader_properties(store))
    assert table.scan().to_arrow().num_rows == 300


def test_killed_at_any_time_it_goes_on(tmp_path, store):
    job = S3Job(tmp_path, store, max_rows=50)
    job.produce(*events(3_000))
    chance = random.Random(7)
    for _ in range(4):
        process = job.start()
        time.sleep(0.5 + chance.random() * 1.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = job.run("--once")
    assert done.returncode == 0, done.stderr
    check_exact(job, 3_000)


def test_a_second_process_takes_over_and_the_first_leaves(tmp_path, store):
    job = S3Job(tmp_path, store)
    job.produce(*events(100))
    first = job.start()
    wait_until(lambda: job.rows() == 100, job)
    assert job.run("--once").returncode == 0
    job.produce(*[dict(GOOD, event_id=f"late{i}") for i in range(10)])
    assert first.wait(60) == 75, job.log()
    assert "WEIR0212" in job.log()
    assert job.run("--once").returncode == 0
    check_exact(job, 110)


def test_a_line_that_breaks_loses_nothing_and_doubles_nothing(tmp_path, store):
    with FaultyProxy(store, probability=0.06, seed=3) as proxy:
        job = S3Job(tmp_path, proxy.url, max_rows=100)
        job.produce(*events(2_000))
        for _ in range(20):
            done = job.run("--once")
            assert done.returncode in (0, 75), done.stderr
            if done.returncode == 0:
                break
        assert done.returncode == 0, done.stderr
        assert len(proxy.met) == len(FaultyProxy.FAULTS), proxy.met
    job.through(store)
    check_exact(job, 2_000)


def test_a_store_that_is_away_for_minutes_is_waited_for(tmp_path, store):
    """Its client gives up, the job does not."""
    state = {"away": False}
    with FaultyProxy(store, script=lambda *_: "reset" if state["away"] else None) as proxy:
        job = S3Job(tmp_path, proxy.url)
        job.produce(*events(100))
        process = job.start()
        wait_until(lambda: job.rows() == 100, job)
        state["away"] = True
        job.produce(*[dict(GOOD, event_id=f"late{i}") for i in range(100)])
        wait_until(lambda: "starting again" in job.log(), job)
        state["away"] = False
        wait_until(lambda: job.rows() == 200, job)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, job.log()
    job.through(store)
    check_exact(job, 200)


@pytest.mark.parametrize("fault", ["reset", "lost", "500", "503"])
def test_a_fault_of_every_first_write_is_waited_out(tmp_path, store, fault):
    """Each object is put twice: the first try meets the fault."""
    seen = set()

    def first_put(method, path):
        if method != "PUT" or path in seen:
            return None
        seen.add(path)
        return fault

    with FaultyProxy(store, script=first_put) as proxy:
        job = S3Job(tmp_path, proxy.url)
        job.produce(*events(100))
        done = job.run("--once")
        assert done.returncode == 0, done.stderr
        assert proxy.met[fault] >= 5
    job.through(store)
    check_exact(job, 100)


def test_keys_are_renewed_while_it_runs(tmp_path, store):
    job = S3Job(tmp_path, store)
    text = job.pipeline.read_text()
    job.pipeline.write_text(re.sub(r"  (access|secret)_key: .*\n", "", text))
    with KeyService() as keys:
        env = dict(os.environ, AWS_CONTAINER_CREDENTIALS_FULL_URI=keys.url + "/keys",
                   AWS_EC2_METADATA_DISABLED="true")
        process = job.start(env=env)
        for part in range(8):
            job.produce(*[dict(GOOD, event_id=f"{part}-{i}") for i in range(50)])
            keys.away = 2 <= part < 5
            time.sleep(1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, job.log()
        assert keys.asked >= 4
        assert "were not renewed" in job.log()
    job.pipeline.write_text(text)
    assert job.run("--once").returncode == 0
    check_exact(job, 400)


def test_a_store_that_cannot_decide_a_race_is_refused(tmp_path):
    with CarelessStore() as careless:
        job = S3Job(tmp_path, careless.url)
        job.produce(GOOD)
        done = job.run("--once")
    assert done.returncode == 78, done.stderr
    assert "WEIR0210" in done.stderr
    assert re.search(r"s3://weir/\S+/state", done.stderr)


def test_tls_trusts_whom_it_is_told_to(tmp_path, store):
    with FaultyProxy(store, certificate=new_certificate(tmp_path / "server.pem")) as proxy:
        job = S3Job(tmp_path, proxy.url)
        job.produce(*events(100))
        refused = job.run("--once")
        assert refused.returncode == 78, refused.stderr
        assert "WEIR0506" in refused.stderr and "`ca`" in refused.stderr
        text = job.pipeline.read_text()
        job.pipeline.write_text(text.replace("s3:\n", "s3:\n  ca: server.pem.cert\n"))
        done = job.run("--once")
        assert done.returncode == 0, done.stderr
        check_exact(job, 100)


def test_a_store_that_denies_says_so_and_shows_no_key(tmp_path, store):
    job = S3Job(tmp_path, store)
    os.environ["OTHER"] = "not-the-key"
    job.pipeline.write_text(job.pipeline.read_text().replace("${SECRET}", "${OTHER}"))
    job.produce(GOOD)
    done = job.run("--once")
    assert done.returncode == 78, done.stderr
    assert "WEIR0502" in done.stderr and "not-the-key" not in done.stderr
