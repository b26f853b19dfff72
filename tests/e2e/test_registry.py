"""Avro and Protobuf values with a schema registry: decoded, refused, waited for.

Avro values are encoded by fastavro, which shares nothing with the program.
"""
import base64
import datetime
import decimal
import io
import json
import pathlib
import struct
import subprocess
import time

import fastavro
import pytest

from job import WEIR, catalog, weir
from registry import Registry

PIPELINE = """\
pipeline: orders
source:
  spool: ./log
  topic: orders
  registry: {{url: "{url}", unknown_schema: {unknown}}}
state: ./state
lake: {{warehouse: ./lake}}
epoch: {{every: 200ms}}
contract:
  name: order
  version: 1
  unknown_fields: keep
  fields:
    id: {{type: string, required: true}}
    at: timestamp
    price: "decimal(10,2)"
    count: long
    tags: list<string>
tables:
  shop.orders: {{from: valid, coordinates: false}}
  shop.bad: {{from: invalid}}
"""
MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
FIRST = {
    "type": "record",
    "name": "order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "price", "type": ["null", MONEY]},
        {"name": "count", "type": "int"},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
    ],
}
# A newer version renames a field, widens another one and adds one.
SECOND = json.loads(json.dumps(FIRST))
SECOND["fields"][0] = {"name": "order_id", "aliases": ["id"], "type": "string"}
SECOND["fields"][3]["type"] = "long"
SECOND["fields"].append({"name": "coupon", "type": ["null", "string"], "default": None})
PROTO = """
syntax = "proto3";
import "google/protobuf/timestamp.proto";
import "shop/money.proto";
message Order {
  string id = 1;
  google.protobuf.Timestamp at = 2;
  optional int64 count = 3;
  repeated string tags = 4;
  shop.Money total = 5;
}
"""
MONEY_PROTO = 'syntax = "proto3"; package shop; message Money { int64 cents = 1; }'
AT = datetime.datetime(2026, 9, 1, 10, 0, 0, 123456, tzinfo=datetime.timezone.utc)


def avro(schema, value, number):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return b"\0" + struct.pack(">I", number) + out.getvalue()


def order(number, **more):
    value = {"id": f"o-{number}", "at": AT, "price": decimal.Decimal("12.30"), "count": number,
             "tags": ["a", "b"]}
    return {**value, **more}


class Shop:
    def __init__(self, folder, url, unknown="quarantine"):
        self.folder = pathlib.Path(folder)
        self.pipeline = self.folder / "pipeline.yaml"
        self.pipeline.write_text(PIPELINE.format(url=url, unknown=unknown))

    def produce(self, *values):
        lines = "".join(json.dumps({"value_b64": base64.b64encode(value).decode()}) + "\n"
                        for value in values)
        done = weir("produce", "-c", self.pipeline, "--envelope", stdin=lines)
        assert done.returncode == 0, done.stderr

    def rows(self, table):
        return catalog(self.folder).load_table(table).scan().to_arrow().to_pylist()


@pytest.fixture
def registry():
    registry = Registry()
    yield registry
    registry.close()


def test_values_become_rows_by_the_schema_of_each(tmp_path, registry):
    first = registry.register("orders-value", json.dumps(FIRST))
    second = registry.register("orders-value", json.dumps(SECOND))
    registry.register("money", MONEY_PROTO, "PROTOBUF")
    proto = registry.register("orders-proto", PROTO, "PROTOBUF",
                              [{"name": "shop/money.proto", "subject": "money", "version": 1}])
    plain = registry.register("orders-json", "{}", "JSON")
    newer = order(2, order_id="o-2", coupon="SPRING", price=None)
    message = b"\x0a\x03o-3\x12\x02\x08\x05\x18\x07\x22\x01t\x2a\x02\x08\x09"
    shop = Shop(tmp_path, registry.url)
    shop.produce(
        avro(FIRST, order(1), first),
        avro(SECOND, newer, second),
        b"\0" + struct.pack(">I", proto) + b"\0" + message,
        b"\0" + struct.pack(">I", plain) + b'{"id": "o-4"}',
        avro(FIRST, order(5), 4711),
        avro(FIRST, order(6), first)[:-3],
        b'{"id": "o-7"}',
    )
    done = weir("run", "-c", shop.pipeline, "--once")
    assert done.returncode == 0, done.stderr
    rows = {row["id"]: row for row in shop.rows("shop.orders")}
    assert sorted(rows) == ["o-1", "o-2", "o-3", "o-4"]
    assert rows["o-1"]["at"] == AT and rows["o-1"]["price"] == decimal.Decimal("12.30")
    assert rows["o-1"]["count"] == 1 and rows["o-1"]["tags"] == ["a", "b"]
    assert rows["o-2"]["price"] is None
    assert dict(rows["o-2"]["unknown_fields"]) == {"coupon": '"SPRING"'}
    assert rows["o-3"]["count"] == 7 and rows["o-3"]["tags"] == ["t"]
    assert rows["o-3"]["at"] == datetime.datetime(1970, 1, 1, 0, 0, 5, tzinfo=datetime.timezone.utc)
    assert dict(rows["o-3"]["unknown_fields"]) == {"total": '{"cents":9}'}
    bad = sorted(row["reason"] for row in shop.rows("shop.bad"))
    assert bad == ["malformed", "malformed", "unknown_schema"]
    # Each schema is fetched once.
    asked = [path for path in registry.asked if path == f"/schemas/ids/{first}"]
    assert len(asked) == 1


def test_a_registry_that_is_away_and_a_schema_that_comes_later_are_waited_for(tmp_path):
    registry = Registry()
    port = int(registry.url.rsplit(":", 1)[1])
    registry.close()
    shop = Shop(tmp_path, registry.url, unknown="retry")
    shop.produce(avro(FIRST, order(1), 1))
    process = subprocess.Popen([WEIR, "run", "-c", shop.pipeline],
                                             stderr=open(tmp_path / "run.log", "wb"))
    try:
        log = lambda: (tmp_path / "run.log").read_text()  # noqa: E731
        wait_for(lambda: "schema registry" in log(), process, log)
        registry = Registry(port)
        wait_for(lambda: "/schemas/ids/1" in registry.asked, process, log)
        registry.register("orders-value", json.dumps(FIRST))
        wait_for(lambda: len(rows_of(shop)) == 1, process, log)
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0, log()
        registry.close()
    assert shop.rows("shop.bad") == []


def test_drift_and_promote_see_framed_values(tmp_path, registry):
    second = registry.register("orders-value", json.dumps(SECOND))
    shop = Shop(tmp_path, registry.url)
    shop.produce(*(avro(SECOND, order(n, order_id=f"o-{n}", coupon="X"), second) for n in range(3)))
    done = weir("contract", "drift", "-c", shop.pipeline, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = {row["field"]: row for row in json.loads(done.stdout)}
    assert found["coupon"]["count"] == 3 and found["coupon"]["verdict"] == "unknown"
    done = weir("contract", "promote", "coupon", "-c", shop.pipeline)
    assert done.returncode == 0 and "+    coupon: string" in done.stdout, done.stdout + done.stderr


def rows_of(shop):
    try:
        return shop.rows("shop.orders")
    except Exception:  # not made yet
        return []


def wait_for(condition, process, log):
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, log()
        assert time.monotonic() < deadline, log()
        time.sleep(0.1)
