"""The program iceberg_driver, and the rows that its tests write and expect."""

import datetime
import decimal
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build" / "dev"))
NOON = 1_788_264_000_000_000  # 2026-09-01T12:00:00Z
DAY = 86_400_000_000

EVENTS = [
    {"name": "event_id", "type": "string", "required": True},
    {"name": "event_time", "type": "timestamptz", "required": True},
    {"name": "kind", "type": "string"},
    {"name": "price", "type": "decimal(10, 2)"},
    {"name": "quantity", "type": "int"},
]
BY_DAY = [{"transform": "day", "column": "event_time"}]


class Refused(Exception):
    pass


class Driver:
    """A process with one catalog, and one table at a time. `catalog`: what it is opened with."""

    def __init__(self, **catalog):
        self.process = subprocess.Popen(
            [BUILD / "tests/conformance/iceberg_driver"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.do("open", **catalog)

    def do(self, op, **arguments):
        self.process.stdin.write(json.dumps({"op": op, **arguments}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["ok"]

    def create(self, table, columns=EVENTS, partition_by=BY_DAY, **more):
        self.do("create", table=table, columns=columns, partition_by=partition_by, **more)
        return self.do("load", table=table, pipeline="shop")

    def append(self, rows, epoch, **more):
        self.do("load")
        return self.do("append", rows=rows,
                       progress={"events/0": [1, epoch, 100 * epoch]}, **more)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def event(name, day=0, kind="buy", price="12.34", quantity=1, since=NOON):
    return {"event_id": name, "event_time": since + day * DAY, "kind": kind, "price": price,
            "quantity": quantity}


def expected(rows):
    start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return sorted((r["event_id"], start + datetime.timedelta(microseconds=r["event_time"]),
                   r["kind"], decimal.Decimal(r["price"]), r["quantity"]) for r in rows)


def rows_of(table):
    """Rows of an Arrow table in the form of expected()."""
    columns = [table.column(c["name"]).to_pylist() for c in EVENTS]
    columns[1] = [t.astimezone(datetime.timezone.utc) for t in columns[1]]
    return sorted(zip(*columns))
