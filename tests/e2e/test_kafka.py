"""The same program and the same job against a real Apache Kafka broker."""
import json
import signal
import subprocess
import time

import pytest

from job import CONTRACT, EVENTS, ROOT, WEIR, Job, weir
from service import server
from test_replay import Medallion, assert_equal_tables, assert_same

RETAIL = ROOT / "examples" / "retail" / "retail.yaml"
FAULTS = "late=2%:20m,dup=2%,bad=1%,tombstone=0.5%"


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    with server("kafka", tmp_path_factory.mktemp("kafka")) as address:
        yield address


def test_the_retail_example_from_topic_to_table(broker, tmp_path):
    env = {"KAFKA_BOOTSTRAP": broker, "KAFKA_TOPIC": "retail-clickstream-events",
           "WEIR_STATE": str(tmp_path / "state"), "WEIR_WAREHOUSE": str(tmp_path / "lake")}
    steps = [("produce", "--partitions", "1"), ("tables", "create"), ("validate",),
             ("run", "--once"), ("verify",), ("status",)]
    for step in steps:
        done = weir(*step, "-c", RETAIL, stdin=EVENTS, env=env)
        assert done.returncode == 0, (step, done.stdout, done.stderr)
    listed = json.loads(weir("tables", "ls", "-c", RETAIL, "--format", "json", env=env).stdout)
    assert [row["rows"] for row in listed] == [5]


def test_a_corpus_with_faults_agrees_with_its_answer_key(broker, tmp_path):
    job = Job(tmp_path)
    job.pipeline.write_text(job.pipeline.read_text().replace(
        "{spool: ./log, topic: clicks}", f"{{kafka: {{brokers: '{broker}', topic: corpus}}}}"))
    key = tmp_path / "key.json"
    job.generate(10_000, "--faults", FAULTS, "--partitions", 3, "--answer-key", key)
    assert job.run("--once").returncode == 0
    done = job.weir("verify", "--key", key)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_replay_of_a_running_job_from_bronze_and_from_the_topic(broker, tmp_path):
    job = Medallion(tmp_path, every="300ms")
    text = job.pipeline.read_text()
    kafka = f"source:\n  kafka:\n    brokers: '{broker}'\n    topic: replayed"
    job.pipeline.write_text(text.replace(
        "source:\n  spool: ./log\n  topic: clickstream.events", kafka))
    assert "kafka" in job.pipeline.read_text()
    job.generate(8, 1, 3000, "--partitions", "3")
    running = job.start("run")
    try:
        job.generate(9, 2, 3000)
        wait_until_read(job, 6000)
        for name, source in (("raw", "bronze"), ("again", "source")):
            job.weir("replay plan", "--as", name, "--from", source)
            job.generate(10, 3, 1000)  # goes into the live tables meanwhile
            job.weir("replay apply", "--as", name)
            assert_same(job.diff("--as", name)[0])
        assert running.poll() is None
    finally:
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
    job.weir("run", "--once")
    assert json.loads(job.weir("status", "--format", "json").stdout)["ledger"]["read"] == 8000
    job.weir("replay plan", "--as", "raw")  # on to where the pipeline stands now
    job.weir("replay apply", "--as", "raw")
    assert_equal_tables(job, "raw")


def wait_until_read(job, count):
    deadline = time.monotonic() + 60

    def read():
        # 10 while the job is still making its tables.
        done = job.weir("status", "--format", "json", ok=False)
        assert done.returncode in (0, 10), done.stderr
        return json.loads(done.stdout)["ledger"]["read"]

    while read() < count:
        assert time.monotonic() < deadline, (job.folder / "run.log").read_text()
        time.sleep(0.2)


def test_envelopes_go_round(broker):
    line = {"partition": 0, "key": "k", "value_b64": "AAEC/w==", "timestamp": 1764500000000,
            "headers": [{"name": "h", "value": "x"}]}
    target = ("--brokers", broker, "--topic", "envelopes")
    done = weir("produce", "--envelope", *target, "--partitions", 1, stdin=json.dumps(line))
    assert done.returncode == 0, done.stderr
    shown = weir("tail", *target, "--from", "earliest", "--format", "ndjson")
    assert json.loads(shown.stdout) == dict(line, offset=0)


def test_a_broker_that_is_away_does_not_hold_up_a_stop(tmp_path):
    (tmp_path / "pipeline.yaml").write_text(f"""\
pipeline: away
source: {{kafka: {{brokers: "127.0.0.1:9", topic: t}}}}
state: ./state
contract: {CONTRACT}
lake: {{warehouse: ./lake}}
tables: {{a.events: {{from: valid}}, a.quarantine: {{from: invalid}}}}
""")
    run = subprocess.Popen([WEIR, "run", "-c", tmp_path / "pipeline.yaml"], stderr=subprocess.PIPE,
                           text=True)
    for line in run.stderr:
        if "waiting for the source" in line:
            break
    run.send_signal(signal.SIGTERM)
    _, rest = run.communicate(timeout=25)
    assert run.returncode == 0 and "stopped before the first record was read" in rest
