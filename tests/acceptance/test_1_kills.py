"""Check 1: kill -9 in mid-epoch and restart, with Kafka: no event_id is twice in silver, and every
table holds what the records say. WEIR_KILLS says how many; WEIR_KILL_SEED repeats a run."""

import collections
import os
import random
import time

import answers
from medallion import Corpus, Job

KILLS = int(os.environ.get("WEIR_KILLS", "20"))
SEED = int(os.environ.get("WEIR_KILL_SEED", str(random.SystemRandom().randrange(10**9))))


def test_check_1_kills_double_nothing(broker, tmp_path):
    corpus = Corpus(KILLS * 1500)
    target = ("--brokers", broker, "--topic", "clickstream.events")
    corpus.send(*target)
    job = Job(tmp_path, broker=broker, max_rows=150)
    steps = collections.Counter()
    dice = random.Random(SEED)
    for kill in range(KILLS):
        before = len(job.hits())
        process = job.start("--once")
        wait_for_hits(job, before + dice.randrange(5, 200), process)
        time.sleep(dice.random() * 0.005)
        assert process.poll() is None, f"drained before kill {kill}\n{job.log()}"
        process.kill()
        process.wait()
        steps[job.hits()[-1]] += 1
    print(f"\ncheck 1: WEIR_KILL_SEED={SEED}: {KILLS} kills, by the last step before each:")
    for step, times in steps.most_common():
        print(f"{times:6}  {step}")
    before_the_last = len(job.epochs())
    job.set_epoch(max_rows=5000)
    job.run("--once")
    assert before_the_last > 0, "no kill came after a commit"
    ids = job.table("silver.events").column("event_id").to_pylist()
    print(f"silver.events: {len(ids)} rows, {len(set(ids))} event ids")
    assert len(ids) == len(set(ids))
    answers.compare_all(answers.Answers(corpus.write(tmp_path / "lines")).register(), job)
    job.verify()


def wait_for_hits(job, count, process):
    deadline = time.monotonic() + 120
    while len(job.hits()) < count and process.poll() is None:
        assert time.monotonic() < deadline, f"no progress\n{job.log()}"
        time.sleep(0.002)
