"""kill -9 in the middle of an epoch of 300,000 rows, then a fresh process: from its start to the
commit of the epoch that was interrupted. The table must be exact in the end."""

import os
import signal
import statistics
import time

import lab
import measure

TOPIC = "recovery"
EPOCH = "{every: 10m, max_rows: 300000}"
ROWS = 1_500_000
RUNS = 3


def kill_in_mid_epoch(pipeline, attempt):
    """Starts a drain, waits for a few commits, kills it inside the next epoch."""
    log = os.path.join(pipeline.folder, "killed.log")
    program = measure.Watched(pipeline.command(), log, cores=2, cwd=pipeline.folder)
    measure.until(lambda: pipeline.snapshots() >= 2 or not program.running(), 120, "second commit",
                  every_s=0.005)
    time.sleep(0.05 * (attempt + 1))  # another place of the epoch each time
    program.stop(signal.SIGKILL)
    return pipeline.snapshots()


def restart(pipeline, committed):
    """Seconds from the start of the process to its first commit."""
    log = os.path.join(pipeline.folder, "restarted.log")
    program = measure.Watched(pipeline.command("--once"), log, cores=2, cwd=pipeline.folder)
    try:
        measure.until(lambda: pipeline.snapshots() > committed, 60, "commit after the restart",
                      every_s=0.002)
        to_commit = time.monotonic() - program.begin
        measure.until(lambda: not program.running(), 120, "end of the drain")
    finally:
        code = program.stop()
    if code != 0:
        raise measure.Failed(f"weir ended with {code} after a kill; see {log}")
    return to_commit


def run(broker, options):
    broker.create(TOPIC, 4)
    corpus = lab.fresh("recovery-corpus")
    key = lab.corpus(corpus, ROWS, options.seed, "--brokers", broker.address, "--topic", TOPIC)
    times = []
    for attempt in range(RUNS):
        lab.say(f"recovery: kill {attempt + 1} of {RUNS}")
        pipeline = lab.Pipeline(lab.fresh(f"recovery-{attempt}"), broker.address, TOPIC, EPOCH)
        committed = kill_in_mid_epoch(pipeline, attempt)
        times.append(restart(pipeline, committed))
        lab.expect_rows(f"recovery {attempt + 1}", pipeline.facts(), key)
    return {"runs_s": [round(value, 3) for value in times],
            "summary": {"to_commit_s": round(max(times), 3),
                        "to_commit_median_s": round(statistics.median(times), 3)}}
