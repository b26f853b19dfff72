"""What the event-time operators tell a person: bounds of memory, duplicates, keys of a topic."""
import json

import pytest

from job import weir

CONTRACT = """\
name: click
event_time: time
fields:
  id: {type: string, required: true}
  user: {type: string, required: true}
  time: {type: timestamp, required: true}
"""
PIPELINE = """\
pipeline: clicks
source: {{spool: ./log, topic: clicks}}
state: ./state
contract: click.yaml
lake: {{warehouse: ./lake}}
epoch: {{every: 1m, max_rows: 4000}}
watermark: {{delay: 10m}}
state_memory: {memory}
tables:
  silver.events: {{from: valid, dedupe: {{key: id}}}}
  late.events: {{from: late}}
  gold.sessions: {{sessions: {{by: user, gap: 30m}}}}
on_error: fail
"""


class Clicks:
    def __init__(self, folder, memory="64MiB"):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        (folder / "click.yaml").write_text(CONTRACT)
        self.pipeline = folder / "pipeline.yaml"
        self.allow(memory)

    def allow(self, memory):
        self.pipeline.write_text(PIPELINE.format(memory=memory))

    def weir(self, command, *arguments, ok=True, **options):
        done = weir(*command.split(), "-c", self.pipeline, *arguments, **options)
        assert not ok or done.returncode == 0, done.stdout + done.stderr
        return done

    def produce(self, clicks, partitions=2):
        """(partition, id, user, time) each."""
        self.weir("produce", "--envelope", "--partitions", partitions, stdin="".join(
            json.dumps({"partition": partition, "key": user, "value": json.dumps(
                {"id": name, "user": user, "time": f"2026-09-01T{time}Z"})}) + "\n"
            for partition, name, user, time in clicks))

    def json(self, command, *arguments):
        return json.loads(self.weir(command, *arguments, "--format", "json").stdout)


def visitors(count):
    """So many users within a minute: all their keys and sessions are open at once."""
    return [(n % 2, f"e{n}", f"user-{n}-{'x' * 40}", f"10:00:{n % 60:02}") for n in range(count)]


def test_state_that_outgrows_its_memory_is_refused_and_nothing_is_lost(tmp_path):
    roomy, tight = Clicks(tmp_path / "roomy", "256MiB"), Clicks(tmp_path / "tight", memory="16MiB")
    for job in (roomy, tight):
        job.produce(visitors(40_000))
    roomy.weir("run", "--once")
    refused = tight.weir("run", "--once", ok=False)
    assert refused.returncode != 0
    assert "WEIR0505" in refused.stderr and "`state_memory` allows 16 MiB" in refused.stderr
    assert "raise `state_memory`" in refused.stderr
    stopped_at = tight.json("status")["ledger"]["read"]
    assert 0 < stopped_at < 40_000, "epochs before the limit are kept"
    again = tight.weir("run", "--once", ok=False)
    assert "WEIR0505" in again.stderr, "the same epoch is refused again"
    assert tight.json("status")["ledger"]["read"] == stopped_at

    tight.allow("256MiB")
    tight.weir("run", "--once")
    assert tight.json("status")["ledger"] == roomy.json("status")["ledger"]
    for job in (roomy, tight):
        assert {row["table"]: row["rows"] for row in job.json("tables ls")} == {
            "silver.events": 40_000, "late.events": 0, "gold.sessions": 40_000}
        assert "wrong" not in job.weir("verify", "--format", "json").stdout


def test_sizes_of_the_state_are_shown(tmp_path):
    job = Clicks(tmp_path)
    job.produce(visitors(1000))
    run = job.weir("run", "--once")
    sizes = job.json("status")["state"]
    assert sizes["dedupe.keys"] == 1000 and sizes["gold.sessions.keys"] == 1000
    assert sizes["dedupe.bytes"] > 16_000 and sizes["gold.sessions.bytes"] > 100_000
    assert sizes["gold.sessions.keys_in_several_partitions"] == 0
    assert "note:" not in job.weir("status").stdout
    assert "come in several partitions" not in run.stderr


def test_a_topic_that_is_not_keyed_by_the_session_key_is_reported(tmp_path):
    job = Clicks(tmp_path)
    job.produce([(0, "a", "u1", "10:00:00"), (1, "b", "u1", "10:05:00"),
                 (0, "c", "u2", "10:06:00"), (1, "c", "u2", "10:06:00")])
    run = job.weir("run", "--once")
    assert run.stderr.count("keys of sessions come in several partitions") == 1
    sizes = job.json("status")["state"]
    assert sizes["gold.sessions.keys_in_several_partitions"] == 2
    assert sizes["dedupe.cross_partition_keys"] == 1
    assert "note: 2 keys of gold.sessions came in several partitions" in job.weir("status").stdout


def test_a_dropped_row_is_shown_with_the_row_that_it_repeats(tmp_path):
    job = Clicks(tmp_path)
    job.produce([(0, "a", "u1", "10:00:00"), (1, "a", "u1", "10:00:00"),
                 (0, "b", "u1", "10:01:00")])
    job.weir("run", "--once")
    job.produce([(0, "a", "u1", "10:02:00"), (1, "b", "u1", "10:02:00")])
    job.weir("run", "--once")
    shown = job.weir("quarantine why-dropped", "--format", "json")
    assert json.loads(shown.stdout) == [
        {"partition": 0, "dropped_offset": 2, "event_time": "2026-09-01T10:02:00Z", "key": "a",
         "kept_offset": 0, "kept_event_time": "2026-09-01T10:00:00Z"}]
    assert "1 of 1 duplicates" in shown.stderr


def test_examples_of_dropped_rows_are_bounded(tmp_path):
    job = Clicks(tmp_path)
    job.produce([(0, f"e{n % 10}", "u1", "10:00:00") for n in range(400)])
    job.weir("run", "--once")
    shown = job.weir("quarantine why-dropped", "--format", "json")
    rows = json.loads(shown.stdout)
    assert [row["kept_offset"] for row in rows] == [0, 1, 2, 3, 4]
    assert "5 of 390 duplicates" in shown.stderr


@pytest.mark.parametrize("count", ["0", "-1"])
def test_why_dropped_refuses_no_rows(tmp_path, count):
    job = Clicks(tmp_path)
    done = job.weir("quarantine why-dropped", f"-n={count}", ok=False)
    assert done.returncode == 64
