"""Check 7: under 5,000 events a second gold is never older than two minutes."""

import bisect
import os
import time

import medallion
from medallion import Job, weir

SECONDS = int(os.environ.get("WEIR_FRESHNESS_SECONDS", "60"))
RATE = 5_000
LIMIT_S = 120


def test_check_7_gold_is_fresh(tmp_path):
    job = Job(tmp_path)
    job.produce("")  # makes the topic
    run = job.start()
    try:
        with medallion.EpochWatch(job) as watch:
            weir(
                "generate",
                "-c",
                job.pipeline,
                "--seed",
                3,
                "--rate",
                RATE,
                "--for",
                f"{SECONDS}s",
                "--faults",
                medallion.FAULTS,
                timeout=SECONDS + 240,
            )
            wait_until_read(RATE * SECONDS, watch, run, job)
            job.stop(run)
    finally:
        run.kill()
        run.wait()
    ages, commits = event_ages(job, watch.records)
    ages.sort()
    p50, p95, most = ages[len(ages) // 2], ages[len(ages) * 95 // 100], ages[-1]
    behind = max(later - newest for (_, newest), (later, _) in zip(commits, commits[1:]))
    print(
        f"\ncheck 7: {len(ages)} events at {RATE}/s for {SECONDS} s, {len(commits)} commits of "
        f"gold.sessions\n  from event to gold row: p50 {p50:.1f} s, p95 {p95:.1f} s, at most "
        f"{most:.1f} s\n  gold is behind the clock by at most {behind:.1f} s"
    )
    assert len(ages) > 0.9 * RATE * SECONDS
    assert most < LIMIT_S and behind < LIMIT_S


def wait_until_read(count, watch, run, job):
    deadline = time.monotonic() + LIMIT_S
    while sum(end_offsets(watch.records).values()) < count:
        assert run.poll() is None and time.monotonic() < deadline, job.log()
        time.sleep(0.1)


def end_offsets(records):
    ends = {}
    for number in sorted(records):
        for name, moved in records[number]["partitions"].items():
            ends[int(name)] = moved["end"]["next_offset"]
    return ends


def event_ages(job, records):
    """Seconds from each silver row's event time to the commit of gold.sessions that it is in; and
    (time, newest event) of these commits."""
    committed = {
        snapshot.snapshot_id: snapshot.timestamp_ms / 1000
        for snapshot in job.catalog().load_table("gold.sessions").snapshots()
    }
    epochs = []  # (commit, end offsets)
    ends = {}
    for number in sorted(records):
        ends.update(end_offsets({number: records[number]}))
        table = records[number]["tables"].get("gold.sessions")
        if table and table["snapshot_id"] in committed:
            epochs.append((committed[table["snapshot_id"]], dict(ends)))
    silver = job.table("silver.events").select(["event_time", "partition", "offset"]).to_pydict()
    by_partition = {p: [e.get(p, 0) for _, e in epochs] for p in set(silver["partition"])}
    ages, newest = [], [0.0] * len(epochs)
    for moment, partition, offset in zip(*silver.values()):
        epoch = bisect.bisect_right(by_partition[partition], offset)
        seconds = moment.timestamp()
        newest[epoch] = max(newest[epoch], seconds)
        ages.append(epochs[epoch][0] - seconds)
    return ages, [(when, seen) for (when, _), seen in zip(epochs, newest) if seen]
