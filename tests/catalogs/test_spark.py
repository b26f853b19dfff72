"""A table that Spark makes in each kind of catalog, and goes on using while Weir writes to it:
appends at once, compaction, expiry, rollback, references, changes of columns, spec and order.

SPARK_VERSION chooses 3.5 or 4; SECONDS for how long both write at once.
"""

import os
import time

import pytest

from job import Job
from program import LONGEST
from service import SparkError, SparkSession

VERSION = os.environ.get("SPARK_VERSION", "3.5")
SECONDS = float(os.environ.get("SECONDS", "120"))
COLUMNS = """event_id string, event_time timestamp, ingestion_time timestamp, user_id string,
  session_id string, event_type string, page_url string, referrer_url string, search_query string,
  product_id string, product_name string, category string, cart_id string, order_id string,
  quantity int, price decimal(10,2), device_type string, browser string, traffic_source string"""
ROW = """('spark-{0}', timestamp'2026-09-01 10:00:00 UTC', timestamp'2026-09-01 10:00:00 UTC',
  'spark', 's', 'page_view', '/', null, null, null, null, null, null, null, 1, 1.25, 'd', 'b',
  't')"""


# Of our own, so that each epoch changes both where one step can.
RAW = "  {table}_raw: {{from: source}}\n"


@pytest.fixture(scope="session")
def spark(lake, tmp_path_factory):
    # Others write to the tables too, so none is looked at from memory.
    options = {"cache-enabled": "false", **lake.spark_options()}
    session = SparkSession(
        VERSION,
        {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
         **{f"spark.sql.catalog.lake.{key}": value for key, value in options.items()}},
        tmp_path_factory.mktemp("spark") / "log")
    session.sql("CREATE NAMESPACE IF NOT EXISTS lake.retail")
    yield session
    session.close()


@pytest.fixture
def job(lake, spark, name, tmp_path):
    spark.sql(f"CREATE TABLE lake.{name} ({COLUMNS}) USING iceberg PARTITIONED BY "
              "(days(event_time)) TBLPROPERTIES ('team' = 'analysts', "
              "'commit.retry.num-retries' = '20')")
    return Job(tmp_path, lake, name, create="never", more=", coordinates: false", tables=RAW)


def count(spark, name):
    """Rows and distinct ids, as Spark sees them now."""
    return tuple(spark.sql(f"SELECT count(*), count(distinct event_id) FROM lake.{name}")[0])


def snapshots(spark, name):
    return [row[0] for row in spark.sql(
        f"SELECT snapshot_id FROM lake.{name}.snapshots ORDER BY committed_at")]


def test_both_write_at_once(spark, job, name):
    job.generate(2000)
    running = job.start("--for", f"{SECONDS:.0f}s")
    inserted, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            spark.sql(f"INSERT INTO lake.{name} VALUES {ROW.format(inserted)}")
            inserted += 1
        except SparkError as error:
            assert "Commit" in str(error) or "conflict" in str(error).lower(), error
        job.generate(200)
    assert running.wait(timeout=LONGEST) == 0, (job.folder / "run.log").read_text()[-2000:]
    job.must("run --once")
    job.must("verify")
    assert inserted > 0
    assert job.rows() == job.events + inserted
    assert spark.sql(f"SELECT count(*) FROM lake.{name} WHERE user_id = 'spark'") == [[inserted]]
    assert spark.one(f"SELECT count(*) FROM lake.{name}_raw") == job.events
    assert "analysts" in str(spark.sql(f"SHOW TBLPROPERTIES lake.{name} ('team')"))


def properties(spark, name):
    """What its owner said of it."""
    return {key: value for key, value in spark.sql(f"SHOW TBLPROPERTIES lake.{name}")
            if not key.startswith("weir.") and key != "current-snapshot-id"}


def test_by_turns(spark, job, name):
    before = properties(spark, name)
    for turn in range(3):
        job.generate(300)
        job.must("run --once")
        spark.sql(f"INSERT INTO lake.{name} VALUES {ROW.format(turn)}, {ROW.format(turn + 10)}")
        assert count(spark, name) == (job.events + turn + 2,) * 2
        spark.sql(f"DELETE FROM lake.{name} WHERE event_id = 'spark-{turn + 10}'")
    job.generate(300)
    job.must("run --once")
    job.must("verify")
    assert count(spark, name) == (job.events + 3,) * 2
    assert properties(spark, name) == before


def test_compaction_and_expiry(spark, job, name):
    for _ in range(3):
        job.generate(600)
        job.must("run --once")
        before = count(spark, name)
        spark.sql("CALL lake.system.rewrite_data_files(table => "
                  f"'{name}', options => map('min-input-files', '2'))")
        spark.sql(f"CALL lake.system.rewrite_manifests('{name}')")
        spark.sql("CALL lake.system.expire_snapshots(table => "
                  f"'{name}', older_than => timestamp'2100-01-01 00:00:00', retain_last => 1)")
        assert count(spark, name) == before
    job.generate(100)
    job.must("run --once")
    job.must("verify")
    assert job.rows() == job.events


def test_a_rollback_is_refused_until_it_is_accepted(spark, job, name):
    job.generate(300)
    job.must("run --once")
    first = snapshots(spark, name)[0]
    job.generate(300)
    job.must("run --once")
    spark.sql(f"CALL lake.system.rollback_to_snapshot('{name}', {first})")
    done = job.weir("run --once")
    assert done.returncode != 0 and "WEIR0203" in done.stderr, done.stderr


def test_references_of_others_stay(spark, job, name):
    job.generate(300)
    job.must("run --once")
    spark.sql(f"ALTER TABLE lake.{name} CREATE BRANCH audit")
    spark.sql(f"ALTER TABLE lake.{name} CREATE TAG month")
    spark.sql(f"INSERT INTO lake.{name}.branch_audit VALUES {ROW.format('audit')}")
    before = count(spark, name)[0]
    job.generate(300)
    job.must("run --once")
    refs = dict(spark.sql(f"SELECT name, type FROM lake.{name}.refs"))
    assert refs == {"main": "BRANCH", "audit": "BRANCH", "month": "TAG", "weir-shop": "TAG"}
    month = spark.sql(f"SELECT count(*) FROM lake.{name} VERSION AS OF 'month'")[0][0]
    audit = spark.sql(f"SELECT count(*) FROM lake.{name} VERSION AS OF 'audit'")[0][0]
    assert (month, audit) == (before, before + 1)
    assert count(spark, name)[0] > before


def test_a_new_spec_and_a_new_order(spark, job, name):
    job.generate(300)
    job.must("run --once")
    spark.sql(f"ALTER TABLE lake.{name} ADD PARTITION FIELD bucket(4, user_id)")
    spark.sql(f"ALTER TABLE lake.{name} WRITE ORDERED BY user_id")
    job.generate(300)
    job.must("run --once")
    assert job.rows() == job.events
    specs = [row[0] for row in spark.sql(f"SELECT DISTINCT spec_id FROM lake.{name}.files")]
    assert len(specs) == 2


def test_columns_that_others_change(spark, job, name):
    job.generate(300)
    job.must("run --once")
    spark.sql(f"ALTER TABLE lake.{name} ADD COLUMN note string")
    job.generate(300)
    job.must("run --once")
    assert spark.sql(f"SELECT count(*) FROM lake.{name} WHERE note IS NOT NULL") == [[0]]
    spark.sql(f"ALTER TABLE lake.{name} RENAME COLUMN browser TO agent")
    job.generate(300)
    done = job.weir("run --once")
    assert done.returncode != 0 and "WEIR0402" in done.stderr and "browser" in done.stderr
    spark.sql(f"ALTER TABLE lake.{name} RENAME COLUMN agent TO browser")
    job.must("run --once")
    assert job.rows() == job.events


def test_a_table_made_anew_is_refused(spark, job, name):
    job.generate(300)
    job.must("run --once")
    spark.sql(f"DROP TABLE lake.{name}")
    spark.sql(f"CREATE TABLE lake.{name} ({COLUMNS}) USING iceberg")
    job.generate(300)
    done = job.weir("run --once")
    assert done.returncode != 0 and "WEIR02" in done.stderr, done.stderr
    assert count(spark, name) == (0, 0)
