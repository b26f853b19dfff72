"""Whether a long run stays as quick as it began: thousands of small epochs in a row on a local
folder with a SQLite catalog. What a commit costs and how large the metadata is, in the first
and in the last thousand epochs."""

import json
import os
import re
import statistics
import time

import lab
import measure

TOPIC = "commits"
ROWS = 20  # of an epoch
WINDOW = 1_000
COMMITTED = re.compile(r"^(\d\d):(\d\d):(\d\d\.\d+) debug epoch committed .*?epoch=(\d+) "
                       r'.*took="([\d.]+) (us|ms|s)"')
SPANS = {"us": 0.001, "ms": 1, "s": 1000}


def commit_of(line):
    """Epoch, time of day in ms and how long it took from cut to commit, of a line of the log."""
    found = COMMITTED.match(line)
    if not found:
        return None
    hours, minutes, seconds, epoch, took, unit = found.groups()
    at = (int(hours) * 60 + int(minutes)) * 60_000 + float(seconds) * 1000
    return int(epoch), at, float(took) * SPANS[unit]


def commits_of(log):
    with open(log, encoding="utf-8") as file:
        return [commit for commit in map(commit_of, file) if commit]


def metadata_of(pipeline):
    """Snapshot number, bytes of the metadata file and of the head's manifest list."""
    path = pipeline.metadata()
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        table = json.loads(text)
        head = next(snapshot for snapshot in table["snapshots"]
                    if snapshot["snapshot-id"] == table["current-snapshot-id"])
        manifests = os.path.getsize(head["manifest-list"].removeprefix("file://"))
    except (OSError, TypeError, StopIteration):  # none yet, or gone meanwhile
        return None
    return {"epoch": head["sequence-number"], "metadata_kib": len(text) / 1024,
            "manifest_list_kib": manifests / 1024, "snapshots": len(table["snapshots"])}


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def window(commits, samples, first, last):
    """Figures of the epochs from `first` to `last`."""
    inside = [commit for commit in commits if first <= commit[0] <= last]
    gaps = [(after[1] - before[1]) % 86_400_000 for before, after in zip(inside, inside[1:])]
    took = [commit[2] for commit in inside]
    sizes = [sample for sample in samples if first <= sample["epoch"] <= last]
    if not gaps or not sizes:
        raise measure.Failed(f"commits: nothing was seen of epochs {first} to {last}")
    return {"epochs": [first, last],
            "interval_ms": round(statistics.mean(gaps), 2),
            "commit_p50_ms": round(percentile(took, 0.5), 1),
            "commit_p99_ms": round(percentile(took, 0.99), 1),
            **{name: round(statistics.mean(sample[name] for sample in sizes), 1)
               for name in ("metadata_kib", "manifest_list_kib", "snapshots")}}


def run(broker, options):
    epochs = options.epochs
    lab.say(f"commits: {epochs} epochs of {ROWS} rows")
    broker.create(TOPIC, 1)
    key = lab.corpus(lab.fresh("commits-corpus"), epochs * ROWS, options.seed, "--brokers",
                     broker.address, "--topic", TOPIC)
    pipeline = lab.Pipeline(lab.fresh("commits"), broker.address, TOPIC,
                            f"{{every: 10m, max_rows: {ROWS}}}")
    log = os.path.join(pipeline.folder, "run.log")
    program = measure.Watched(pipeline.command("--once", "--verbose"), log, cwd=pipeline.folder)
    samples, peak_mib = [], 0
    try:
        while program.running():
            sample = metadata_of(pipeline)
            if sample and program.running():
                samples.append(sample)
                peak_mib = program.peak_mib()
            time.sleep(0.2)
    finally:
        code = program.stop()
    if code != 0:
        raise measure.Failed(f"weir ended with {code}; see {log}")
    lab.expect_rows("commits", pipeline.facts(), key)
    commits = commits_of(log)
    size = min(WINDOW, epochs // 3)
    # Not from the very first: until the first snapshots expire, metadata has to grow.
    first = window(commits, samples, size // 2, size // 2 + size)
    last = window(commits, samples, epochs - size, epochs)
    return {"rows_per_epoch": ROWS, "first": first, "last": last,
            "summary": {"epochs": epochs, "p50_ms": last["commit_p50_ms"],
                        "p99_ms": last["commit_p99_ms"], "rss_mib": round(peak_mib, 1),
                        "interval_ratio": round(last["interval_ms"] / first["interval_ms"], 2),
                        "p50_ratio": round(last["commit_p50_ms"] / first["commit_p50_ms"], 2),
                        "metadata_ratio": round(last["metadata_kib"] / first["metadata_kib"], 2)}}
