"""Our Iceberg tables, read by PyIceberg, DuckDB and fastavro, and shared with other writers."""

import decimal
import json

import fastavro
import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.expressions import EqualTo, GreaterThanOrEqual
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform
from pyiceberg.types import IntegerType, NestedField, StringType, TimestamptzType

from driver import BY_DAY, EVENTS, Driver, Refused, event, expected, rows_of
from duck import connect

LAYOUTS = {
    "unpartitioned": [],
    "day": BY_DAY,
    "bucket_and_day": [{"transform": "bucket[16]", "column": "event_id"}, *BY_DAY],
    "identity": [{"transform": "identity", "column": "kind"}],
}


class Weir(Driver):
    def __init__(self, folder, kind="sql"):
        self.warehouse = folder / "lake"
        self.database = folder / "catalog.db"
        super().__init__(catalog=kind, name="lake", database=str(self.database),
                         warehouse=str(self.warehouse))

    def catalog(self):
        return load_catalog("lake", type="sql", uri=f"sqlite:///{self.database}",
                            warehouse=f"file://{self.warehouse}")


@pytest.fixture
def weir(tmp_path):
    driver = Weir(tmp_path)
    yield driver
    driver.close()


@pytest.fixture(scope="session")
def duck():
    return connect("avro", "iceberg")


def by_duck(duck, location, where="true"):
    return rows_of(duck.execute(
        f"SELECT * FROM iceberg_scan('{location}') WHERE {where}").to_arrow_table())


def read_everywhere(weir, duck, name, rows):
    table = weir.catalog().load_table(name)
    assert rows_of(table.scan().to_arrow()) == expected(rows)
    assert by_duck(duck, table.metadata_location) == expected(rows)
    return table


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_are_equal_in_every_layout(weir, duck, layout):
    weir.create("retail.events", partition_by=LAYOUTS[layout])
    rows = []
    for epoch in range(1, 5):
        new = [event(f"e{epoch}-{i}", day=i, kind=("buy", "add")[i % 2]) for i in range(3)]
        assert weir.append(new, epoch) == "committed"
        rows += new
    table = read_everywhere(weir, duck, "retail.events", rows)
    assert table.inspect.files().num_rows > 0
    assert table.inspect.manifests().num_rows == 4
    assert sum(table.inspect.partitions().column("record_count").to_pylist()) == 12
    assert table.inspect.snapshots().num_rows == 4
    one = table.scan(row_filter=EqualTo("event_id", "e2-1")).to_arrow()
    assert rows_of(one) == expected([r for r in rows if r["event_id"] == "e2-1"])
    late = table.scan(row_filter=GreaterThanOrEqual(
        "event_time", "2026-09-03T00:00:00+00:00")).to_arrow()
    assert late.num_rows == 4
    assert len(by_duck(duck, table.metadata_location, "event_id = 'e2-1'")) == 1


def avro(path):
    with open(path, "rb") as file:
        reader = fastavro.reader(file)
        return reader.writer_schema, reader.metadata, list(reader)


def field(schema, name):
    return next(f for f in schema["fields"] if f["name"] == name)


def test_manifests_look_as_java_writes_them(weir):
    weir.create("retail.events", partition_by=LAYOUTS["bucket_and_day"])
    weir.append([event("a"), event("b", day=1)], 1)
    metadata = weir.warehouse / "retail/events/metadata"
    schema, header, entries = avro(next(metadata.glob("*-m0.avro")))
    assert schema["name"].split(".")[-1] == "manifest_entry"
    assert {"schema", "schema-id", "partition-spec", "partition-spec-id", "format-version",
            "content"} <= set(header)
    assert header["content"] == "data" and header["format-version"] == "2"
    assert [f["name"] for f in json.loads(header["schema"])["fields"]] == [
        c["name"] for c in EVENTS]
    assert isinstance(json.loads(header["partition-spec"]), list)
    ids = {f["name"]: f["field-id"] for f in schema["fields"]}
    assert ids == {"status": 0, "snapshot_id": 1, "sequence_number": 3,
                   "file_sequence_number": 4, "data_file": 2}
    file = field(schema, "data_file")["type"]
    partition = field(file, "partition")["type"]
    day = field(partition, "event_time_day")
    assert day["field-id"] == 1001
    assert day["type"][1] == {"type": "int", "logicalType": "date"}
    sizes = field(file, "column_sizes")["type"][1]
    assert sizes["logicalType"] == "map" and sizes["type"] == "array"
    assert [f["field-id"] for f in sizes["items"]["fields"]] == [117, 118]
    assert all(e["sequence_number"] is None and e["status"] == 1 for e in entries)

    schema, header, manifests = avro(next(metadata.glob("snap-*.avro")))
    assert schema["name"].split(".")[-1] == "manifest_file"
    assert header["parent-snapshot-id"] == "null" and header["sequence-number"] == "1"
    assert [f["field-id"] for f in schema["fields"]] == [
        500, 501, 502, 517, 515, 516, 503, 504, 505, 506, 512, 513, 514, 507, 519]
    assert manifests[0]["added_files_count"] == 2 and len(manifests[0]["partitions"]) == 2


def test_partition_values_with_special_characters(weir, duck):
    weir.create("retail.events", partition_by=LAYOUTS["identity"])
    kinds = ["a b/c:d%e+f=é", "..", "", "x" * 300, "null", "a#b?c", None, "日本"]
    rows = [event(f"e{i}", kind=kind) for i, kind in enumerate(kinds)]
    assert weir.append(rows, 1) == "committed"
    table = weir.catalog().load_table("retail.events")
    for read in (table.scan().to_arrow(),
                 duck.execute(f"SELECT * FROM iceberg_scan('{table.metadata_location}')")
                 .to_arrow_table()):
        found = dict(zip(read.column("event_id").to_pylist(), read.column("kind").to_pylist()))
        assert found == {r["event_id"]: r["kind"] for r in rows}
    outside = [p for p in weir.warehouse.rglob("*.parquet")
               if weir.warehouse / "retail/events/data" not in p.parents]
    assert outside == []


def test_odd_column_and_partition_names(weir, duck):
    names = ["a.b", "two words", "1st", "select", "价格"]
    columns = EVENTS + [{"name": name, "type": "string"} for name in names]
    weir.create("retail.odd", columns=columns, partition_by=[
        {"transform": "bucket[4]", "column": "event_id", "name": "my#str%bucket"},
        {"transform": "identity", "column": "two words", "name": "😎"}])
    row = {**event("a"), **{name: f"v{i}" for i, name in enumerate(names)}}
    assert weir.append([row], 1) == "committed"
    table = weir.catalog().load_table("retail.odd")
    for read in (table.scan().to_arrow(),
                 duck.execute(f"SELECT * FROM iceberg_scan('{table.metadata_location}')")
                 .to_arrow_table()):
        assert [read.column(name)[0].as_py() for name in names] == [f"v{i}" for i in range(5)]


def test_bounds_of_strings_find_every_value(weir, duck):
    weir.create("retail.events", partition_by=[])
    values = ["AAAAAAAAAAAAAAA•long", "A" * 15 + "\ud7ffzz", "\U0010ffff" * 20, "😀" * 20,
              "sixteen letters!", ""]
    for epoch, value in enumerate(values, 1):
        weir.append([event(f"e{epoch}", kind=value)], epoch)
    table = weir.catalog().load_table("retail.events")
    for epoch, value in enumerate(values, 1):
        found = table.scan(row_filter=EqualTo("kind", value)).to_arrow()
        assert found.column("event_id").to_pylist() == [f"e{epoch}"]
        by = duck.execute(f"SELECT event_id FROM iceberg_scan('{table.metadata_location}') "
                          "WHERE kind = ?", [value]).fetchall()
        assert by == [(f"e{epoch}",)]


def test_merged_manifests_read_the_same(weir, duck):
    weir.create("retail.events", properties={"commit.manifest.min-count-to-merge": "9"})
    rows = []
    for epoch in range(1, 15):
        rows.append(event(f"e{epoch}", day=epoch % 3))
        weir.append(rows[-1:], epoch)
    table = read_everywhere(weir, duck, "retail.events", rows)
    assert table.inspect.manifests().num_rows < 9


def test_pyiceberg_and_weir_append_in_turn(weir, duck):
    weir.create("retail.events", partition_by=[])
    rows = []
    for turn in range(1, 4):
        rows.append(event(f"w{turn}"))
        assert weir.append(rows[-1:], turn) == "committed"
        theirs = event(f"p{turn}")
        table = weir.catalog().load_table("retail.events")
        table.append(pa.table({
            "event_id": [theirs["event_id"]],
            "event_time": pa.array([theirs["event_time"]], pa.timestamp("us", "UTC")),
            "kind": [theirs["kind"]],
            "price": pa.array([decimal.Decimal(theirs["price"])], pa.decimal128(10, 2)),
            "quantity": pa.array([1], pa.int32())},
            schema=table.schema().as_arrow().with_metadata(None)))
        rows.append(theirs)
        assert weir.do("load")["progress"] == {"events/0": [1, turn, 100 * turn]}
    read_everywhere(weir, duck, "retail.events", rows)


def test_a_table_that_pyiceberg_made_is_used_as_it_is(weir, duck):
    catalog = weir.catalog()
    catalog.create_namespace("retail")
    schema = Schema(NestedField(1, "event_id", StringType(), required=True),
                    NestedField(2, "event_time", TimestamptzType(), required=True),
                    NestedField(3, "quantity", IntegerType()))
    catalog.create_table(
        "retail.theirs", schema,
        partition_spec=PartitionSpec(PartitionField(2, 1000, DayTransform(), "day")),
        properties={"owner": "analysts"})
    loaded = weir.do("load", table="retail.theirs", pipeline="shop")
    assert loaded["properties"]["owner"] == "analysts"
    assert weir.append([event("a"), event("b", day=1)], 1) == "committed"
    table = weir.catalog().load_table("retail.theirs")
    assert sorted(table.scan().to_arrow().column("event_id").to_pylist()) == ["a", "b"]
    assert table.properties["owner"] == "analysts"
    assert table.schema().fields == schema.fields


def test_a_foreign_commit_in_between_is_a_conflict(weir):
    weir.create("retail.events", partition_by=[])
    weir.append([event("a")], 1)
    weir.do("load")
    with weir.catalog().load_table("retail.events").transaction() as change:
        change.set_properties(owner="somebody")
    assert weir.do("append", rows=[event("b")], progress={}) == "conflict"
    assert weir.append([event("b")], 2) == "committed"
    table = weir.catalog().load_table("retail.events")
    assert table.properties["owner"] == "somebody" and table.scan().to_arrow().num_rows == 2


def test_a_new_foreign_column_is_respected(weir):
    weir.create("retail.events", partition_by=[])
    weir.append([event("a")], 1)
    with weir.catalog().load_table("retail.events").update_schema() as update:
        update.add_column("channel", StringType())
    weir.do("load")
    weir.append([{**event("b"), "channel": "app"}], 2)
    read = weir.catalog().load_table("retail.events").scan().to_arrow()
    found = dict(zip(read.column("event_id").to_pylist(), read.column("channel").to_pylist()))
    assert found == {"a": None, "b": "app"}


def test_a_foreign_delete_and_overwrite_are_respected(weir, duck):
    weir.create("retail.events", partition_by=[])
    rows = [event(f"e{i}") for i in range(4)]
    for epoch, row in enumerate(rows, 1):
        weir.append([row], epoch)
    weir.catalog().load_table("retail.events").delete(EqualTo("event_id", "e1"))
    rows.append(event("late"))
    assert weir.append([rows[-1]], 5) == "committed"
    read_everywhere(weir, duck, "retail.events", [r for r in rows if r["event_id"] != "e1"])


def test_foreign_expiry_is_not_taken_for_a_rollback(weir):
    weir.create("retail.events", partition_by=[])
    for epoch in range(1, 6):
        weir.append([event(f"e{epoch}")], epoch)
    table = weir.catalog().load_table("retail.events")
    keep = table.current_snapshot().snapshot_id
    old = [s.snapshot_id for s in table.metadata.snapshots if s.snapshot_id != keep]
    table.maintenance.expire_snapshots().by_ids(old).commit()
    loaded = weir.do("load")
    assert loaded["lineage"] == 0 and loaded["progress"] == {"events/0": [1, 5, 500]}
    assert weir.append([event("e6")], 6) == "committed"


def test_a_foreign_rollback_stops_the_writer_until_it_is_accepted(weir, duck):
    weir.create("retail.events", partition_by=[])
    rows = [event(f"e{i}") for i in range(1, 4)]
    for epoch, row in enumerate(rows, 1):
        weir.append([row], epoch)
    table = weir.catalog().load_table("retail.events")
    first = table.metadata.snapshots[0].snapshot_id
    table.manage_snapshots().rollback_to_snapshot(first).commit()
    assert weir.do("load")["lineage"] == 2
    with pytest.raises(Refused, match="WEIR0203"):
        weir.do("append", rows=[event("e4")], progress={"events/0": [1, 4, 400]})
    assert weir.do("accept_rollback") == "committed"
    assert weir.append([event("e4")], 4) == "committed"
    read_everywhere(weir, duck, "retail.events", [rows[0], event("e4")])


def test_expiry_and_clean_up_leave_a_readable_table(weir, duck):
    weir.create("retail.events", properties={"commit.manifest.min-count-to-merge": "9"})
    expiry = {"max_age_us": 0, "keep_at_least": 3, "keep_at_most": 3, "reader_grace_us": 0}
    rows = []
    for epoch in range(1, 40):
        rows.append(event(f"e{epoch}", day=epoch % 3))
        assert weir.append(rows[-1:], epoch, expiry=expiry) == "committed"
        weir.do("clean_up")
    table = read_everywhere(weir, duck, "retail.events", rows)
    assert len(table.metadata.snapshots) == 3
    for snapshot in table.metadata.snapshots:
        table.scan(snapshot_id=snapshot.snapshot_id).to_arrow()
    metadata = list((weir.warehouse / "retail/events/metadata").iterdir())
    assert len([f for f in metadata if f.name.endswith(".metadata.json")]) == 21
    assert len(metadata) < 21 + 3 + 15


def test_folder_tables_are_read_by_their_folder(tmp_path, duck):
    driver = Weir(tmp_path, kind="folder")
    try:
        driver.create("retail.events")
        rows = [event(f"e{i}", day=i) for i in range(3)]
        for epoch, row in enumerate(rows, 1):
            assert driver.append([row], epoch) == "committed"
        folder = driver.warehouse / "retail/events"
        assert by_duck(duck, folder) == expected(rows)
        assert (folder / "metadata/version-hint.text").read_text() == "4"
        assert driver.do("list") == ["retail.events"]
    finally:
        driver.close()
