"""Our Delta tables, read by delta-rs and by DuckDB (the Delta kernel), and shared with delta-rs."""

import datetime
import decimal
import json
import pathlib

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Schema, write_deltalake

from driver import BY_DAY, NOON, Driver, Refused, event, expected, rows_of
from duck import connect

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

LAYOUTS = {
    "unpartitioned": [],
    "day": BY_DAY,
    "hour_and_kind": [
        {"transform": "hour", "column": "event_time"},
        {"transform": "identity", "column": "kind"},
    ],
    "price": [{"transform": "identity", "column": "price"}],
    "time": [{"transform": "identity", "column": "event_time"}],
}


class Weir(Driver):
    """A driver of Delta tables in the folder `warehouse`."""

    def __init__(self, folder):
        self.warehouse = folder / "lake"
        super().__init__(catalog="delta", warehouse=str(self.warehouse))

    def path(self, table):
        return str(self.warehouse / table.replace(".", "/"))


@pytest.fixture
def weir(tmp_path):
    driver = Weir(tmp_path)
    yield driver
    driver.close()


@pytest.fixture(scope="session")
def duck():
    return connect("delta")


def by_rust(path, **options):
    return DeltaTable(path).to_pyarrow_table(**options)


def by_kernel(duck, path, where="true"):
    return duck.execute(f"SELECT * FROM delta_scan('file://{path}') WHERE {where}").to_arrow_table()


def read_everywhere(duck, path, rows):
    assert rows_of(by_rust(path)) == expected(rows)
    assert rows_of(by_kernel(duck, path)) == expected(rows)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_reads_back(weir, duck, layout):
    name = f"shop.{layout}"
    weir.create(name, partition_by=LAYOUTS[layout])
    rows = [
        event("a"),
        # delta-rs cannot read a negative decimal back from a partition: it makes "0.-1" of it.
        event("b", 1, "sell", "0.01" if layout == "price" else "-0.01", -5),
        event("c", 0, "x/y=z %+é", "99999999.99", since=-1),
        event("d", -365 * 60, None, "0.00", since=0),
        event("e", 0, " ", since=NOON + 758),
    ]
    for epoch in range(3):
        part = [dict(r, event_id=f"{r['event_id']}{epoch}") for r in rows]
        assert weir.append(part, epoch + 1) == "committed"
    every = [dict(r, event_id=f"{r['event_id']}{e}") for e in range(3) for r in rows]
    read_everywhere(duck, weir.path(name), every)


def test_an_empty_table_is_one(weir, duck):
    weir.create("shop.empty")
    assert by_rust(weir.path("shop.empty")).num_rows == 0
    assert by_kernel(duck, weir.path("shop.empty")).num_rows == 0
    table = DeltaTable(weir.path("shop.empty"))
    assert (table.protocol().min_reader_version, table.protocol().min_writer_version) == (1, 2)
    assert table.metadata().partition_columns == ["event_date"]


def test_an_empty_text_in_a_partition_is_null(weir, duck):
    """As the protocol has it; who must tell them apart keeps the text in a plain column."""
    weir.create("shop.blank", partition_by=[{"transform": "identity", "column": "kind"}])
    weir.append([event("a", kind=""), event("b", kind=None), event("c", kind=" ")], 1)
    for table in (by_rust(weir.path("shop.blank")), by_kernel(duck, weir.path("shop.blank"))):
        assert sorted(map(str, table.column("kind").to_pylist())) == [" ", "None", "None"]


def test_statistics_hide_no_row(weir, duck):
    """A maximum in milliseconds must not exclude the microseconds above it."""
    time = 1_786_392_293_080_758
    weir.create("shop.stats", partition_by=[])
    weir.append([event("a" * 100, 0, "z" * 40, "1.25", since=time)], 1)
    path = weir.path("shop.stats")
    moment = "2026-08-10 20:04:53.080758+00"
    for where in (
        f"event_time = TIMESTAMPTZ '{moment}'",
        f"event_time >= TIMESTAMPTZ '{moment}'",
        "event_id = repeat('a', 100)",
        "kind = repeat('z', 40)",
        "price = 1.25",
    ):
        assert by_kernel(duck, path, where).num_rows == 1, where
    at = EPOCH + datetime.timedelta(microseconds=time)
    for column, value in (
        ("event_time", at),
        ("event_id", "a" * 100),
        ("kind", "z" * 40),
        ("price", decimal.Decimal("1.25")),
    ):
        assert by_rust(path, filters=[(column, "=", value)]).num_rows == 1, column
    actions = pa.table(DeltaTable(path).get_add_actions(flatten=True))
    assert actions.column("num_records").to_pylist() == [1]
    assert actions.column("null_count.kind").to_pylist() == [0]


def test_nested_columns(weir, duck):
    columns = [
        {"name": "id", "type": "long"},
        {
            "name": "place",
            "type": {
                "type": "struct",
                "fields": [
                    {"id": 9, "name": "city", "type": "string", "required": False},
                    {"id": 10, "name": "zip", "type": "int", "required": False},
                ],
            },
        },
        {
            "name": "tags",
            "type": {
                "type": "list",
                "element-id": 11,
                "element": "string",
                "element-required": False,
            },
        },
        {
            "name": "extra",
            "type": {
                "type": "map",
                "key-id": 12,
                "key": "string",
                "value-id": 13,
                "value": "string",
                "value-required": False,
            },
        },
    ]
    weir.create("shop.nested", columns=columns, partition_by=[])
    rows = [
        {"id": 1, "place": {"city": "Nice", "zip": 6000}, "tags": ["a", "b"], "extra": {"k": "v"}},
        {"id": 2, "place": None, "tags": None, "extra": None},
        {"id": 3, "place": {"city": None, "zip": None}, "tags": [], "extra": {}},
    ]
    weir.append(rows, 1)
    for table in (by_rust(weir.path("shop.nested")), by_kernel(duck, weir.path("shop.nested"))):
        read = sorted(table.to_pylist(), key=lambda r: r["id"])
        assert [r["place"] for r in read] == [r["place"] for r in rows]
        assert [r["tags"] for r in read] == [r["tags"] for r in rows]
        extras = [r["extra"] if r["extra"] is None else dict(r["extra"]) for r in read]
        assert extras == [r["extra"] for r in rows]


def test_after_checkpoints_and_cleanup_all_rows_are_there(weir, duck):
    weir.create(
        "shop.log",
        properties={
            "delta.checkpointInterval": "5",
            "delta.logRetentionDuration": "interval 0 seconds",
        },
    )
    for epoch in range(1, 24):
        weir.append([event(f"e{epoch}", epoch % 3)], epoch)
        weir.do("clean_up")
    path = weir.path("shop.log")
    log = pathlib.Path(path) / "_delta_log"
    assert not (log / f"{0:020}.json").exists()
    rows = [event(f"e{epoch}", epoch % 3) for epoch in range(1, 24)]
    read_everywhere(duck, path, rows)
    assert json.loads((log / "_last_checkpoint").read_text())["version"] % 5 == 0
    txns = DeltaTable(path).transaction_version("shop/events/0")
    assert txns == (1 << 32) + 23


def test_delta_rs_writes_between_our_commits(weir, duck):
    weir.create("shop.shared")
    path = weir.path("shop.shared")
    rows = []

    def ours(epoch):
        weir.append([event(f"w{epoch}")], epoch)
        rows.append(event(f"w{epoch}"))

    def theirs(name):
        row = event(name, 1)
        rows.append(row)
        table = pa.table(
            {
                "event_id": [row["event_id"]],
                "event_time": pa.array([row["event_time"]], pa.timestamp("us", "UTC")),
                "kind": [row["kind"]],
                "price": pa.array([decimal.Decimal(row["price"])], pa.decimal128(10, 2)),
                "quantity": pa.array([row["quantity"]], pa.int32()),
                "event_date": pa.array([datetime.date(2026, 9, 2)]),
            }
        )
        write_deltalake(path, table, mode="append")

    ours(1)
    theirs("r1")
    ours(2)
    DeltaTable(path).create_checkpoint()
    ours(3)
    DeltaTable(path).optimize.compact()
    theirs("r2")
    ours(4)
    read_everywhere(duck, path, rows)
    state = weir.do("load")
    assert state["total_records"] == len(rows)
    assert state["progress"]["events/0"][:2] == [1, 4]
    assert sum(f["records"] for f in weir.do("files")) == len(rows)
    DeltaTable(path).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    read_everywhere(duck, path, rows)
    ours(5)
    read_everywhere(duck, path, rows)


def test_older_files_have_nulls_in_a_new_column(weir, duck):
    weir.create("shop.grown", properties={"delta.checkpointInterval": "3"})
    path = weir.path("shop.grown")
    rows = [event("a"), event("b", 1)]
    weir.append(rows, 1)
    weir.do("load")
    assert weir.do("evolve", add=[{"name": "coupon", "type": "string"}]) == "committed"
    assert weir.append([dict(event("c"), coupon="SPRING")], 2) == "committed"
    weir.do("clean_up")
    assert weir.append([dict(event("d"), coupon=None)], 3) == "committed"
    rows += [event("c"), event("d")]
    coupons = {"a": None, "b": None, "c": "SPRING", "d": None}
    read_everywhere(duck, path, rows)
    for table in (by_rust(path), by_kernel(duck, path)):
        assert dict(zip(*(table.column(c).to_pylist() for c in ("event_id", "coupon")))) == coupons
    assert by_kernel(duck, path, "coupon IS NULL").num_rows == 3
    protocol = DeltaTable(path).protocol()
    assert (protocol.min_reader_version, protocol.min_writer_version) == (1, 2)
    weir.do("load")
    with pytest.raises(Refused, match="WEIR0403.*typeWidening"):
        weir.do("evolve", widen=[{"name": "quantity", "type": "long"}])


def test_rows_are_replaced_after_a_foreign_compaction(weir, duck):
    weir.create("shop.open", partition_by=[{"transform": "identity", "column": "kind"}])
    path = weir.path("shop.open")
    weir.append([event("a", kind="open"), event("b", kind="closed")], 1)
    weir.append([event("c", kind="open")], 2)
    DeltaTable(path).optimize.compact()
    assert weir.append([event("d", kind="open")], 3, replaced=[{"kind": "open"}]) == "committed"
    read_everywhere(duck, path, [event("b", kind="closed"), event("d", kind="open")])


def test_a_restore_is_noticed(weir):
    weir.create("shop.back")
    path = weir.path("shop.back")
    weir.append([event("a")], 1)
    weir.append([event("b")], 2)
    DeltaTable(path).restore(1)
    state = weir.do("load", table="shop.back", pipeline="shop")
    assert state["progress"]["events/0"][:2] == [1, 2], "RESTORE leaves the txn"
    assert state["lineage"] == 2
    with pytest.raises(Refused, match="WEIR0203"):
        weir.do("append", rows=[event("c")], progress={"events/0": [1, 3, 300]})
    assert weir.do("accept_rollback") == "committed"
    assert weir.append([event("c")], 3) == "committed"
    assert sorted(by_rust(path).column("event_id").to_pylist()) == ["a", "c"]


@pytest.mark.parametrize(
    "properties, named",
    [
        ({"delta.enableDeletionVectors": "true"}, "deletionVectors"),
        ({"delta.constraints.positive": "quantity > 0"}, "check constraints"),
        ({"delta.setTransactionRetentionDuration": "interval 1 days"}, "setTransactionRetention"),
    ],
)
def test_what_weir_does_not_write_is_refused_by_name(weir, properties, named):
    path = weir.path("shop.foreign")
    schema = pa.schema([("event_id", pa.string())])
    table = DeltaTable.create(path, schema=Schema.from_arrow(schema), mode="error")
    table.alter.set_table_properties(properties, raise_if_not_exists=False)
    with pytest.raises(Refused, match=named):
        weir.do("load", table="shop.foreign", pipeline="shop")
