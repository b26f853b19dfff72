"""`weir replay`: the medallion job on the embedded log, made anew beside the live tables."""
import importlib
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import time

import duckdb
import pytest

from job import ROOT, WEIR, catalog, weir

EXAMPLE = ROOT / "examples" / "medallion"
FAULTS = "late=2%:20m,dup=5%,bad=0.5%,tombstone=0.1%"
TABLES = ["silver.events", "quarantine.events", "late.events", "gold.sessions",
          "gold.session_stats", "gold.funnel", "gold.active_users", "gold.event_windows"]
COUNT = int(os.environ.get("WEIR_REPLAY_EVENTS", "4000"))


class Medallion:
    def __init__(self, folder, every="1s", max_rows=1500, idle_after="1h", silence="hold"):
        self.folder = pathlib.Path(folder)
        text = (EXAMPLE / "local.yaml").read_text()
        text = text.replace("every: 5s", f"every: {every}\n  max_rows: {max_rows}")
        text = text.replace("idle_after: 60s", f"idle_after: {idle_after}")
        text = text.replace("on_silence: advance", f"on_silence: {silence}")
        self.pipeline = self.folder / "local.yaml"
        self.pipeline.write_text(text)
        (self.folder / "shop_event.yaml").write_text((EXAMPLE / "shop_event.yaml").read_text())

    def weir(self, command, *arguments, ok=True, **options):
        done = weir(*command.split(), "-c", self.pipeline, *arguments, **options)
        assert not ok or done.returncode == 0, done.stderr
        return done

    def generate(self, hour, seed, count=COUNT, *arguments):
        self.weir("generate", "--seed", seed, "--count", count, "--faults", FAULTS, "--start",
                  f"2025-06-02T{hour:02}:00:00Z", *arguments)

    def start(self, *arguments):
        log = open(self.folder / "run.log", "ab")
        return subprocess.Popen([WEIR, *arguments[0].split(), "-c", self.pipeline, *arguments[1:]],
                                stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def diff(self, *arguments):
        done = self.weir("replay diff", "--format", "json", *arguments)
        return {row["table"]: row for row in json.loads(done.stdout)}, done.stderr

    def rows(self, table):
        """All columns of all rows, read by PyIceberg, in an order that is the rows' own."""
        return sorted(map(repr, arrow_rows(self, table)))

    def change_contract(self):
        """A rule more: what costs over 100 is refused."""
        path = self.folder / "shop_event.yaml"
        text = path.read_text()
        changed = re.sub(r"(?m)^(\s+price:\s*\{)(.*)\}", r"\1\2, max: 100}", text)
        assert changed != text
        path.write_text(changed)


@pytest.fixture
def job(tmp_path):
    job = Medallion(tmp_path)
    job.generate(8, 1, COUNT, "--partitions", "3")
    job.weir("run", "--once")
    for hour, seed in ((9, 2), (10, 3)):
        job.generate(hour, seed)
        job.weir("run", "--once")
    return job


def assert_equal_tables(job, suffix="replay"):
    for table in TABLES:
        made, live = job.rows(f"{table}__{suffix}"), job.rows(table)
        assert made == live, table
    for table in ("gold.event_windows", "late.events", "quarantine.events"):
        assert job.rows(table), table
    assert any("'is_open': False" in row for row in job.rows("gold.sessions"))


def assert_same(diff):
    assert set(diff) == set(TABLES)
    for row in diff.values():
        assert row["only_live"] == row["only_replay"] == row["changed"] == 0, row
        assert row["live_rows"] == row["replay_rows"]


def test_a_replay_makes_the_same_tables_row_for_row(job):
    plan = job.weir("replay plan", "--format", "json")
    assert [row["partition"] for row in json.loads(plan.stdout)] == [0, 1, 2]
    assert sum(row["records"] for row in json.loads(plan.stdout)) == 3 * COUNT
    assert "silver.events__replay" in plan.stderr
    job.weir("replay apply")
    diff, _ = job.diff()
    assert_same(diff)
    assert_equal_tables(job)


def test_joins_idleness_and_silence_are_read_and_not_decided_again(tmp_path):
    job = Medallion(tmp_path, idle_after="300ms", silence="advance", every="200ms")
    job.generate(8, 1, 2000, "--partitions", "4")
    running = job.start("run")
    try:
        for hour, seed in ((9, 2), (10, 3), (11, 4)):
            time.sleep(2.5)
            job.generate(hour, seed, 1000)
        time.sleep(2.5)
    finally:
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
    decided = job.rows("ops.decisions")
    assert any("'joined'" in row for row in decided) and any("'silence'" in row for row in decided)
    job.weir("replay plan")
    job.weir("replay apply")
    assert_same(job.diff()[0])
    assert_equal_tables(job)


def test_from_the_source_only_the_ingestion_time_is_new(job):
    job.weir("replay plan", "--from", "source", "--as", "again")
    job.weir("replay apply")
    assert_same(job.diff()[0])


def test_it_goes_on_where_it_was_killed(job):
    job.weir("replay plan")
    for delay in (0.15, 0.3, 0.45, 0.6, 0.2):
        replay = job.start("replay apply")
        time.sleep(delay)
        replay.kill()
        replay.wait(60)
    job.weir("replay apply")
    assert_same(job.diff()[0])
    assert_equal_tables(job)


def test_live_ingestion_goes_on_meanwhile(job):
    running = job.start("run")
    try:
        job.weir("replay plan")
        job.generate(11, 4)
        job.weir("replay apply")
        job.generate(12, 5)
        time.sleep(3)
        assert_same(job.diff()[0])  # as the live tables were where the replay ends
        assert running.poll() is None
        job.weir("replay plan")  # and on to where the pipeline stands now
        job.weir("replay apply")
        assert_same(job.diff()[0])
        refused = job.weir("replay swap", ok=False)
        assert refused.returncode != 0 and "WEIR0211" in refused.stderr
    finally:
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0


def test_a_changed_contract_shows_and_is_swapped_in(job):
    before = job.rows("silver.events")
    dear = sum(1 for row in before if price(row) > 100)
    assert dear > 0
    job.change_contract()
    job.weir("replay plan")
    job.weir("replay apply")
    diff, told = job.diff("--samples", "2")
    assert diff["quarantine.events"]["only_replay"] > 0
    assert diff["silver.events"]["only_live"] >= dear
    assert "silver.events: only live: topic=" in told
    assert diff["gold.sessions"]["changed"] + diff["gold.sessions"]["only_live"] > 0

    job.generate(11, 4)  # unread when it is swapped: the replay catches up before
    job.weir("replay swap")
    assert job.rows("silver.events__before_replay") == before
    after = job.rows("silver.events")
    assert all(price(row) <= 100 for row in after)
    duck = iceberg_duckdb()
    metadata = newest_metadata(job, "silver.events")
    assert duck.execute(f"SELECT count(*), max(price) <= 100 FROM iceberg_scan('{metadata}')"
                        ).fetchone() == (len(after), True)

    job.weir("run", "--once")  # goes on from the replay's state
    job.generate(12, 5)
    job.weir("run", "--once")
    verified = job.weir("verify", "--format", "json")
    assert "wrong" not in verified.stdout
    assert all(price(row) <= 100 for row in job.rows("silver.events"))
    assert len(job.rows("silver.events")) > len(after)
    # What goes on from a swap is what one run under the new contract would have made.
    job.weir("replay plan")
    job.weir("replay apply")
    assert_same(job.diff()[0])


def test_a_swap_that_was_killed_is_ended_by_the_next(job):
    job.weir("replay plan")
    job.weir("replay apply")
    # The tables have changed names, the claim is not there yet.
    catalog = job.folder / "lake" / "catalog.db"
    with sqlite3.connect(catalog) as database:
        for table in TABLES:
            space, name = table.split(".")
            for old, new in ((name, name + "__before_replay"), (name + "__replay", name)):
                database.execute("UPDATE iceberg_tables SET table_name = ? WHERE "
                                 "table_namespace = ? AND table_name = ?", (new, space, old))
    refused = job.weir("run", "--once", ok=False)
    assert refused.returncode != 0 and "WEIR0202" in refused.stderr
    job.weir("replay swap")
    job.generate(11, 4)
    job.weir("run", "--once")
    assert "wrong" not in job.weir("verify", "--format", "json").stdout


def test_a_swap_killed_at_any_moment_is_ended_by_the_next(job):
    job.change_contract()
    job.weir("replay plan")
    job.weir("replay apply")
    job.generate(11, 4)  # so that the swap has something to read before it exchanges the tables
    dice = random.Random(int(os.environ.get("WEIR_KILL_SEED", "7")))
    kills = 0
    # Each is given a little longer, until it is done: on any machine the kills fall all along it.
    patience = 0.005
    while not json.loads(job.weir("replay ls", "--format", "json").stdout)[0]["swapped"]:
        swap = job.start("replay swap")
        time.sleep(patience)
        patience *= dice.uniform(1.1, 1.3)
        if swap.poll() is None:
            swap.kill()
            kills += 1
        swap.wait(60)
        assert patience < 60, (job.folder / "run.log").read_text()
    assert kills >= 3
    job.weir("run", "--once")
    assert "wrong" not in job.weir("verify", "--format", "json").stdout
    assert all(price(row) <= 100 for row in job.rows("silver.events"))
    # What goes on from there is what one run under the new contract would have made.
    job.weir("replay plan")
    job.weir("replay apply")
    assert_same(job.diff()[0])


def test_one_table_alone(job):
    job.weir("replay plan", "--table", "gold.event_windows", "--as", "w")
    job.weir("replay apply")
    diff, _ = job.diff()
    assert list(diff) == ["gold.event_windows"] and diff["gold.event_windows"]["changed"] == 0
    assert job.rows("gold.event_windows__w") == job.rows("gold.event_windows")
    job.weir("replay swap")
    job.generate(11, 4)
    job.weir("run", "--once")
    assert "wrong" not in job.weir("verify", "--format", "json").stdout


def test_what_is_asked_wrongly_is_refused_in_words(job):
    done = job.weir("replay apply", ok=False)
    assert done.returncode != 0 and "is not planned" in done.stderr
    done = job.weir("replay plan", "--table", "bronze.events", ok=False)
    assert done.returncode == 64 and "bronze.events" in done.stderr
    done = job.weir("replay plan", "--as", "No.Name", ok=False)
    assert done.returncode == 64
    job.weir("replay plan")
    job.change_contract()
    done = job.weir("replay apply", ok=False)
    assert done.returncode == 3 and "WEIR0209" in done.stderr


def test_a_new_column_comes_by_replay_and_swap(job):
    path = job.folder / "shop_event.yaml"
    text = path.read_text()
    path.write_text(re.sub(r"(?m)^(\s+)price:", r"\1coupon: {type: string}\n\1price:", text,
                           count=1))
    job.weir("replay plan")
    job.weir("replay apply")
    _, told = job.diff()
    assert "silver.events: only the new table has column coupon" in told
    job.weir("replay swap")
    assert "coupon" in arrow_rows(job, "silver.events")[0]
    job.generate(11, 4)
    job.weir("run", "--once")
    assert "wrong" not in job.weir("verify", "--format", "json").stdout


def traced(job, *arguments):
    done = job.weir("trace", *arguments, "--format", "json")
    return json.loads(done.stdout)


def arrow_rows(job, table):
    return catalog(job.folder).load_table(table).scan().to_arrow().to_pylist()


def test_an_event_is_followed_through_the_tables(job):
    event = arrow_rows(job, "silver.events")[5]
    steps = traced(job, "--record", f"{event['topic']}/{event['partition']}/{event['offset']}")
    verdicts = {step["stage"]: step["verdict"] for step in steps}
    assert verdicts["bronze.events"] == "read"
    assert verdicts["silver.events"] == "valid, on time"
    assert verdicts["gold.sessions"] in ("open", "closed")
    assert verdicts["gold.event_windows"] in ("open", "closed")
    by_id = traced(job, event["event_id"])
    assert {"record": f"clickstream.events/{event['partition']}/{event['offset']}",
            "stage": "silver.events"}.items() <= next(
                s for s in by_id if s["stage"] == "silver.events").items()

    late = arrow_rows(job, "late.events")[0]
    steps = traced(job, "--record", f"{late['partition']}/{late['offset']}")
    assert steps[-1]["verdict"] == "late" and "behind the watermark" in steps[-1]["detail"]
    refused = arrow_rows(job, "quarantine.events")[0]
    steps = traced(job, "--record", f"{refused['partition']}/{refused['offset']}")
    assert steps[-1]["verdict"] == "refused" and refused["reason"] in steps[-1]["detail"]
    raw = arrow_rows(job, "bronze.events")
    tombstone = next(row for row in raw if row["value"] is None)
    steps = traced(job, "--record", f"{tombstone['partition']}/{tombstone['offset']}")
    assert steps[-1]["verdict"] == "tombstone"
    stored = {(row["partition"], row["offset"]) for table in ("silver", "late", "quarantine")
              for row in arrow_rows(job, f"{table}.events")}
    double = next(row for row in raw if row["value"] is not None
                  and (row["partition"], row["offset"]) not in stored)
    steps = traced(job, "--record", f"{double['partition']}/{double['offset']}")
    assert steps[-1]["verdict"] == "duplicate"
    assert traced(job, "--record", "0/99999999")[-1]["verdict"] == "not read yet"


def test_a_session_is_followed_to_its_records(job):
    session = max(arrow_rows(job, "gold.sessions"), key=lambda row: row["events"])
    steps = traced(job, "--session", session["session_id"])
    assert len({step["record"] for step in steps}) == session["events"]
    assert all(session["session_id"] in step["detail"]
               for step in steps if step["stage"] == "gold.sessions")


def test_the_watermark_is_explained_in_words(job):
    done = job.weir("explain watermark", "--format", "json")
    partitions = json.loads(done.stdout)
    assert [row["partition"] for row in partitions] == [0, 1, 2]
    assert "the pipeline watermark is 2025-06-02T" in done.stderr
    assert "held by partition" in done.stderr and "less the delay of 10 m" in done.stderr


def price(row):
    found = re.search(r"'price': Decimal\('([0-9.]+)'\)", row)
    return float(found.group(1)) if found else 0.0


def newest_metadata(job, table):
    return catalog(job.folder).load_table(table).metadata_location


def iceberg_duckdb():
    """DuckDB with the Iceberg extension of the test environment; no network."""
    connection = duckdb.connect()
    for name in ("avro", "iceberg"):
        package = pathlib.Path(importlib.import_module(f"duckdb_extension_{name}").__file__).parent
        extension = next(package.glob("**/*.duckdb_extension"))
        connection.execute(f"LOAD '{extension}'")
    return connection
