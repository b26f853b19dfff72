"""The windows job: what is closed equals a computation by DuckDB, from the embedded log and from
Kafka; what is open is named and not written; a table without its state is refused."""

import collections
import json

import duckdb
import pyarrow as pa

from medallion import ROOT, Corpus, Job

WINDOWS = ROOT / "examples" / "windows"
COUNT = 60_000
MINUTE = 60_000_000


def computed(lines, closes_all=False):
    """Rows of the table, windows that are open at the end, and records that came too late."""
    db = duckdb.connect()
    records = [json.loads(line) for line in open(lines)]
    offsets = collections.Counter()
    columns = {"partition": [], "place": [], "value": []}
    for record in records:
        columns["partition"].append(record["partition"])
        columns["place"].append(offsets[record["partition"]])
        columns["value"].append(record["value"])
        offsets[record["partition"]] += 1
    db.register("records", pa.table(columns))
    db.execute(f"""
        CREATE TABLE events AS SELECT *, max(ts) OVER (PARTITION BY partition ORDER BY place
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - {10 * MINUTE} AS watermark
        FROM (SELECT partition, place, value->>'event' AS event,
            epoch_us((value->>'ts')::TIMESTAMPTZ) AS ts FROM records);
        CREATE TABLE cut AS SELECT *, ts // {5 * MINUTE} * {5 * MINUTE} AS window_start FROM events;
        CREATE TABLE kept AS SELECT *, window_start + {5 * MINUTE} AS window_end FROM cut
            WHERE watermark IS NULL OR window_start + {5 * MINUTE} > watermark""")
    end = db.execute(
        f"SELECT min(newest) FROM (SELECT max(ts) - {10 * MINUTE} AS newest"
        " FROM events GROUP BY partition)"
    ).fetchone()[0]
    rows = db.execute(
        "SELECT event, window_start, window_end, count(*) FROM kept WHERE window_end <= ?"
        " GROUP BY ALL",
        [2**62 if closes_all else end],
    ).fetchall()
    opened = db.execute(
        "SELECT count(DISTINCT window_start) FROM kept WHERE window_end > ?", [end]
    ).fetchone()[0]
    late = db.execute("SELECT (SELECT count(*) FROM cut) - (SELECT count(*) FROM kept)").fetchone()[
        0
    ]
    return sorted(rows), opened, late


def held(job):
    db = duckdb.connect()
    db.register("arrow_table", job.table("gold.event_windows"))
    return sorted(
        db.execute(
            "SELECT event, epoch_us(window_start), epoch_us(window_end), count" " FROM arrow_table"
        ).fetchall()
    )


def make(folder, max_rows=7_000, **options):
    return Job(folder, example=WINDOWS, max_rows=max_rows, **options)


def corpus(partitions=3, count=COUNT):
    return Corpus(count, faults="late=3%:20m", shape="events", partitions=partitions)


def test_windows_from_the_embedded_log(tmp_path):
    job = make(tmp_path)
    job.receive(corpus())
    said = job.run("--once").stderr
    rows, opened, late = computed(corpus().write(tmp_path / "lines"))
    assert len(rows) > 500 and late > 1000
    assert held(job) == rows
    columns = job.table("gold.event_windows").column_names
    assert columns == ["event", "window_start", "window_end", "count"]
    print(f"\nwindows, embedded log: {len(rows)} rows, all as computed; {late} late; {said}")
    assert f"left open: gold.event_windows: {opened} windows open" in said
    assert f"+ {late:,} late".replace(",", " ") in said
    verdict = job.verify()
    assert verdict["ok"] and verdict["ledger"]["late"] == late


def test_windows_from_kafka(broker, tmp_path):
    job = make(tmp_path, broker=broker, topic="events")
    job.receive(corpus(partitions=None))  # the first event makes the topic
    job.run("--once")
    rows, _, _ = computed(corpus(partitions=1).write(tmp_path / "lines"))
    assert held(job) == rows
    print(f"\nwindows, Kafka: {len(rows)} rows, all as computed")


def test_epochs_and_restarts_write_each_window_once(tmp_path):
    job = make(tmp_path, max_rows=300)
    whole = corpus(count=20_000)
    lines = whole.write(tmp_path / "lines").read_text().splitlines(keepends=True)
    for part in range(0, len(lines), 4_000):
        job.produce("".join(lines[part : part + 4_000]))
        job.run("--once")
    rows, _, _ = computed(tmp_path / "lines")
    assert held(job) == rows
    print(f"\nwindows, five runs of many epochs: {len(rows)} rows, all as computed")


def test_the_final_watermark_closes_all_and_ends_the_state(tmp_path):
    job = make(tmp_path)
    job.receive(corpus(count=20_000))
    said = job.run("--once", "--final-watermark").stderr
    rows, opened, _ = computed(corpus(count=20_000).write(tmp_path / "lines"), closes_all=True)
    assert opened > 0 and "left open" not in said
    assert held(job) == rows
    code, message = job.refusal("--once")
    assert code == 3 and "WEIR0213" in message
    assert held(job) == rows


def test_an_old_table_without_state_is_refused(tmp_path):
    job = make(tmp_path)
    job.receive(corpus(count=20_000))
    job.run("--once")
    rows = held(job)
    job.lose_state()
    code, message = job.refusal("--once")
    assert code == 3 and "gold.event_windows" in message and "--accept replay" in message
    assert held(job) == rows


def test_a_table_of_somebody_else_is_refused(tmp_path):
    """Append output would double: the table has rows, and this pipeline knows of none."""
    job = make(tmp_path)
    job.receive(corpus(count=20_000))
    job.run("--once")
    rows = held(job)
    job.lose_state()
    job.pipeline.write_text(
        job.pipeline.read_text().replace("pipeline: windows", "pipeline: others")
    )
    code, message = job.refusal("--once")
    print(message)
    assert code == 3 and "gold.event_windows" in message
    assert held(job) == rows
