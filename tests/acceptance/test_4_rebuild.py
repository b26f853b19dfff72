"""Check 4: silver and gold rebuilt from bronze: same counts and checksums over all columns.

Twice: by `weir replay`, into tables beside the live ones, and by another pipeline that reads the
raw records of bronze from a log of its own, cut otherwise.
"""

import base64
import json

import pytest

import answers
from medallion import PARTITIONS, Corpus, Job

REBUILT = tuple(name for name in answers.TABLES if name != "bronze.events")


def envelopes(bronze):
    """The records of bronze as `weir produce --envelope` takes them, in the order of offsets."""
    for row in sorted(bronze.to_pylist(), key=lambda row: (row["partition"], row["offset"])):
        line = {"partition": row["partition"], "key_b64": base64.b64encode(row["key"]).decode()}
        if row["value"] is None:
            line["value"] = None
        else:
            line["value_b64"] = base64.b64encode(row["value"]).decode()
        yield json.dumps(line) + "\n"


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    job = Job(tmp_path_factory.mktemp("live"), max_rows=4_000)
    job.receive(Corpus(60_000))
    job.run("--once")
    assert any(job.table("gold.sessions").column("is_open").to_pylist())
    return job


def compare(live, rebuilt):
    for name in REBUILT:
        first, second = answers.checksum(live.table(name)), answers.checksum(rebuilt(name))
        print(f"  {name:20} {first[0]:>8} rows {first[1]}, rebuilt {second[0]:>8} rows {second[1]}")
        assert first == second, name
        assert first[0] > 0, f"{name} is empty and proves nothing"


def test_check_4_replay_makes_the_same_tables(live):
    live.set_epoch(max_rows=13_000)  # cut otherwise than the live run was
    live.weir("replay plan")
    live.weir("replay apply")
    rows = live.table("bronze.events").num_rows
    print(f"\ncheck 4: rebuilt by `weir replay` from {rows} rows of bronze")
    compare(live, lambda name: live.table(f"{name}__replay"))


def test_check_4_tables_follow_from_bronze(live, tmp_path):
    again = Job(tmp_path, max_rows=17_000)
    bronze = live.table("bronze.events").select(["partition", "offset", "key", "value"])
    again.produce("".join(envelopes(bronze)))
    again.run("--once")
    print(f"\ncheck 4: rebuilt from {bronze.num_rows} rows of bronze in {PARTITIONS} partitions")
    compare(live, again.table)
