"""Every file of tests/cases through the real process, all in one partition, read by PyIceberg.

A case is one file: {"what": ..., "records": [...]}. A record is a good event, changed by:
  event     fields that are added or replaced (null takes one away)
  literal   fields whose JSON text is put in as it stands
  prefix, suffix   text before and behind it
or other bytes altogether: raw (text) or base64. `expect` is "good", with `row` naming columns and
their values (timestamps in microseconds, decimals as text), or the reason in the quarantine.
One bad record never touches its neighbours, and the quarantine holds its bytes as they came.
"""
import base64
import calendar
import collections
import json
import os

import pytest

from job import GOOD, ROOT, Job, catalog

CASES = sorted((ROOT / "tests" / "cases").glob("*.json"))


def bytes_of(record, event_id):
    if "raw" in record:
        return record["raw"].encode()
    if "base64" in record:
        return base64.b64decode(record["base64"])
    event = {**GOOD, "event_id": event_id, **record.get("event", {})}
    fields = {name: json.dumps(value) for name, value in event.items()}
    fields.update(record.get("literal", {}))
    body = ",".join(f"{json.dumps(name)}:{text}" for name, text in fields.items())
    return (record.get("prefix", "") + "{" + body + "}" + record.get("suffix", "")).encode()


def load():
    """(file, number, record, value) for each record of each case."""
    entries = []
    for path in CASES:
        for number, record in enumerate(json.loads(path.read_text())["records"], 1):
            name = f"{path.stem}/{number}"
            entries.append((name, record, bytes_of(record, name)))
    return entries


def plain(value):
    """As the files of cases spell it."""
    if hasattr(value, "timetuple"):
        return calendar.timegm(value.timetuple()) * 1_000_000 + value.microsecond
    return value if value is None or isinstance(value, (int, str)) else str(value)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "Pacific/Kiritimati"])
def test_every_case(tmp_path, zone):
    entries = load()
    assert len(entries) > 90
    job = Job(tmp_path)
    env = dict(os.environ, TZ=zone)
    lines = [json.dumps({"partition": 0, "value_b64": base64.b64encode(value).decode()})
             for _, _, value in entries]
    done = job.weir("produce", "--envelope", stdin="\n".join(lines) + "\n", env=env)
    assert done.returncode == 0, done.stderr
    done = job.run("--once", env=env)
    assert done.returncode == 0, done.stderr
    assert job.weir("verify").returncode == 0

    lake = catalog(job.folder)
    rows = collections.defaultdict(list)
    for row in lake.load_table("shop.events").scan().to_arrow().to_pylist():
        rows[row["event_id"]].append(row)
    quarantine = {row["offset"]: row
                  for row in lake.load_table("shop.quarantine").scan().to_arrow().to_pylist()}

    wrong = []
    good = 0
    for offset, (name, record, value) in enumerate(entries):
        refused = quarantine.get(offset)
        if record["expect"] != "good":
            found = (refused["reason"], refused["value"]) if refused else "good"
            if found != (record["expect"], value):
                wrong.append((name, record, found))
            continue
        good += 1
        event_id = record.get("event", {}).get("event_id", name)
        if refused or len(rows[event_id]) != 1:
            wrong.append((name, record, refused and refused["reason"], len(rows[event_id])))
            continue
        shown = {column: plain(rows[event_id][0][column]) for column in record.get("row", {})}
        if shown != record.get("row", {}):
            wrong.append((name, record, shown))
    assert not wrong
    assert sum(map(len, rows.values())) == good and len(quarantine) == len(entries) - good
