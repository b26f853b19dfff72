"""The same records through Spark Structured Streaming and through Weir.

Where the definitions agree the rows must be equal: deduplication within the watermark, windows and
sessions in append mode. Where they differ (docs/SEMANTICS.md, "Beside Spark"), each case pins what
Spark gives and what Weir gives, so that the page stays true of both.
"""

import datetime
import json
import random
import subprocess

import pytest

import weir_job

MINUTE = 60_000_000
GAP = 30 * MINUTE
START = datetime.datetime(2026, 9, 1, 6, tzinfo=datetime.timezone.utc)
EVENTS, A_BATCH = 600, 70


def iso(moment):
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def corpus():
    """Ten hours of one partition: rows out of order by minutes, copies, and rows late by hours.

    Nothing lies where the definitions differ: what is out of order is so by less than the delay,
    what is late is so by more than Spark needs to notice it.
    """
    draw = random.Random(20260901)
    sent = []
    for number in range(EVENTS):
        moment = START + datetime.timedelta(minutes=number, seconds=draw.uniform(-120, 120))
        late = number > 250 and draw.random() < 0.05
        event = {
            "id": f"e{number}",
            "user": f"u{draw.randrange(40)}",
            "type": draw.choice(["view", "cart", "purchase"]),
            "time": iso(moment - datetime.timedelta(hours=4 if late else 0)),
            "qty": draw.choice([None, *range(1, 9)]),
        }
        sent.append(event)
        if draw.random() < 0.1:
            sent.append(dict(draw.choice(sent[-3:])))
    return [sent[at : at + A_BATCH] for at in range(0, len(sent), A_BATCH)]


def event(name, time, user="u1", **more):
    day = "2026-09-01T" if time else ""
    return {"id": name, "user": user, "type": "view", "qty": 1,
            "time": f"{day}{time}:00Z" if time else None, **more}


def each(*events):
    """A micro-batch for each."""
    return [[one] for one in events]


# What goes past the end makes both close what they will.
FAR = [event("far", "18:00", "u9"), event("far2", "18:01", "u9"), event("far3", "18:02", "u9")]

CASES = {
    "corpus": (corpus(), ["silver", "windows", "silver_windows", "silver_sessions"]),
    "one gap apart": ([[event("a", "10:00"), event("b", "10:30")], *each(*FAR)], ["sessions"]),
    "at the watermark": (
        each(event("a", "10:20"), event("b", "10:19"), event("c", "10:10")), ["silver"]),
    "late in its own batch": ([[event("a", "10:20"), event("b", "10:05")]], ["silver"]),
    "late in the next batch": (each(event("a", "10:20"), event("b", "10:05")), ["silver"]),
    "late two batches on": (
        each(event("a", "10:20"), event("f", "10:20"), event("b", "10:05")), ["silver"]),
    "a partition behind": (
        each(event("a", "12:00"), event("b", "12:01"), event("c", "10:30", partition=1)),
        ["silver"]),
    "late for an open session": (
        each(event("a", "10:00"), event("b", "10:35", "u2"), event("c", "10:35", "u2"),
             event("d", "10:20"), *FAR), ["sessions"]),
    "late for a closed session": (
        each(event("a", "10:00"), event("b", "10:45", "u2"), event("c", "10:45", "u2"),
             event("d", "10:20"), *FAR), ["sessions"]),
    "closed at the watermark": (each(event("a", "10:00"), event("b", "10:40", "u2")), ["sessions"]),
    "a key at its end": (
        each(event("a", "10:00"), event("b", "10:20"), event("c", "10:20"), event("a", "10:15")),
        ["silver"]),
    "without a time": (
        [[event("a", "10:00"), event("b", None)], *each(*FAR)], ["windows", "silver"]),
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    cases = {name: {"batches": batches, "queries": queries}
             for name, (batches, queries) in CASES.items()}
    (folder / "cases.json").write_text(json.dumps(cases))
    done = subprocess.run(
        [weir_job.ROOT / "tests/services/spark", "--version", "3.5",
         weir_job.ROOT / "tests/streaming/spark_job.py", folder / "cases.json",
         folder / "results.json"],
        capture_output=True, text=True, timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return json.loads((folder / "results.json").read_text())


@pytest.fixture
def tables(tmp_path):
    return lambda name, **options: weir_job.tables(tmp_path / "weir", CASES[name][0], **options)


def ids(rows):
    return sorted(row["id"] for row in rows)


def as_set(rows, *columns):
    return sorted(tuple(str(row[column]) for column in columns) for row in rows)


def minutes(session):
    """A session of either as (user, first, last, events), in minutes after ten."""
    base = int(datetime.datetime(2026, 9, 1, 10, tzinfo=datetime.timezone.utc).timestamp()) * 10**6
    last = session.get("last", session.get("session_end"))
    return (session["user"], (session["session_start"] - base) // MINUTE, (last - base) // MINUTE,
            session["events"])


def closed(sessions):
    return [one for one in sessions if not one["is_open"]]


WINDOW = ("type", "window_start", "window_end", "count", "qty", "last")


def test_deduplicated_rows_are_equal(spark, tables):
    ours, theirs = tables("corpus"), spark["corpus"]["silver"]
    assert ids(ours["silver.events"]) == ids(theirs["rows"])
    assert len(ours["late.events"]) == theirs["dropped"] > 10
    copies = sum(map(len, CASES["corpus"][0])) - len(ours["silver.events"]) - theirs["dropped"]
    assert copies > 30
    print(f"\n{len(theirs['rows'])} rows, {copies} duplicates, {theirs['dropped']} late: equal")


def test_windows_over_deduplicated_rows_are_equal(spark, tables):
    ours, theirs = tables("corpus")["gold.windows"], spark["corpus"]["silver_windows"]["rows"]
    assert as_set(ours, *WINDOW) == as_set(theirs, *WINDOW)
    assert len(ours) > 200


def test_windows_over_all_rows_are_equal(spark, tables):
    made, theirs = tables("corpus", over_silver=False), spark["corpus"]["windows"]
    assert as_set(made["gold.windows"], *WINDOW) == as_set(theirs["rows"], *WINDOW)
    assert len(made["gold.windows"]) > 200
    # Spark counts late rows behind a first aggregation: groups of a batch, not rows.
    assert 0 < theirs["dropped"] < len(made["late.events"])


def test_closed_sessions_are_equal_but_for_what_their_end_is(spark, tables):
    ours = closed(tables("corpus")["gold.sessions"])
    theirs = spark["corpus"]["silver_sessions"]["rows"]
    assert all(one["session_window_end"] == one["last"] + GAP for one in theirs)
    assert sorted(map(minutes, ours)) == sorted(map(minutes, theirs))
    assert len(ours) > 200 and max(one["events"] for one in ours) > 3


def test_one_altered_row_is_noticed(spark, tables):
    ours, theirs = tables("corpus")["gold.windows"], spark["corpus"]["silver_windows"]["rows"]
    ours[len(ours) // 2]["count"] += 1
    assert as_set(ours, *WINDOW) != as_set(theirs, *WINDOW)


def test_exactly_one_gap_apart_is_one_session_in_both(spark, tables):
    theirs = spark["one gap apart"]["sessions"]["rows"]
    ours = closed(tables("one gap apart")["gold.sessions"])
    assert list(map(minutes, ours)) == list(map(minutes, theirs)) == [("u1", 0, 30, 2)]


# case -> ids in Spark's rows, in silver.events, in late.events
ROWS = {
    "at the watermark": ("ab", "abc", ""),
    "late in its own batch": ("ab", "a", "b"),
    "late in the next batch": ("ab", "a", "b"),
    "late two batches on": ("af", "af", "b"),
    "a partition behind": ("ab", "abc", ""),
    "a key at its end": ("aabc", "abc", ""),
}


@pytest.mark.parametrize("case", ROWS)
def test_rows_differ_as_documented(spark, tables, case):
    ours = tables(case)
    assert (
        ids(spark[case]["silver"]["rows"]), ids(ours["silver.events"]), ids(ours["late.events"])
    ) == tuple(map(list, ROWS[case]))


# case -> Spark's sessions, ours that are closed (of u1 and u2), ids in late.events
SESSIONS = {
    "late for an open session": (
        [("u1", 0, 20, 2), ("u2", 35, 35, 2)], [("u1", 0, 0, 1), ("u2", 35, 35, 2)], ["d"]),
    "late for a closed session": (
        [("u1", 0, 0, 1), ("u1", 20, 20, 1), ("u2", 45, 45, 2)],
        [("u1", 0, 0, 1), ("u2", 45, 45, 2)], ["d"]),
    "closed at the watermark": ([("u1", 0, 0, 1)], [], []),
}


@pytest.mark.parametrize("case", SESSIONS)
def test_sessions_differ_as_documented(spark, tables, case):
    ours = tables(case)
    assert (
        sorted(map(minutes, spark[case]["sessions"]["rows"])),
        sorted(map(minutes, closed(ours["gold.sessions"]))),
        ids(ours["late.events"]),
    ) == SESSIONS[case]


def test_rows_without_a_time_differ_as_documented(spark, tables):
    ours, theirs = tables("without a time"), spark["without a time"]
    assert [row["count"] for row in theirs["windows"]["rows"]] == [1]  # gone without a trace
    assert "b" in ids(theirs["silver"]["rows"])  # and in the deduplicated rows for ever
    assert [row["reason"] for row in ours["quarantine.events"]] == ["missing"]
    assert "b" not in ids(ours["silver.events"])
