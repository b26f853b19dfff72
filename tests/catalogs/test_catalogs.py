"""What must be true of tables in every kind of catalog, alone and with another writer beside us.

docs/ICEBERG.md, "What others do to a table", is this file as a table.
"""

import decimal
import threading
import time

import pyarrow as pa
import pytest
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.sorting import NullOrder
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.types import StringType

from cutter import Cutter
from driver import Driver, Refused, event, expected, rows_of


def foreign_append(table, *rows):
    columns = {
        "event_id": [r["event_id"] for r in rows],
        "event_time": pa.array([r["event_time"] for r in rows], pa.timestamp("us", "UTC")),
        "kind": [r["kind"] for r in rows],
        "price": pa.array([decimal.Decimal(r["price"]) for r in rows], pa.decimal128(10, 2)),
        "quantity": pa.array([r["quantity"] for r in rows], pa.int32()),
    }
    table.append(pa.table(columns, schema=table.schema().as_arrow().with_metadata(None)))


def rows(lake, name):
    return rows_of(lake.table(name).scan().to_arrow())


def append_until_it_lands(weir, new, epoch):
    """As the program does: load, see whether it is applied already, try, again and again."""
    for _ in range(100):
        try:
            seen = weir.do("load").get("progress", {}).get("events/0", [1, 0, 0])
            if seen[1] >= epoch:
                return
            weir.do("append", rows=new, progress={"events/0": [1, epoch, 100 * epoch]})
        except Refused as error:
            assert "WEIR0404" in str(error), error
            time.sleep(0.1)
    raise AssertionError(f"epoch {epoch} did not land")


# --- alone ---------------------------------------------------------------------------------------


def test_a_table_is_made_filled_and_read_back(lake, weir, name):
    made = weir.create(name, properties={"owner": "analysts"})
    new = [event("a"), event("b", day=1)]
    assert weir.append(new, 1) == "committed"
    again = lake.driver()
    try:
        assert name in again.do("list")
        seen = again.do("load", table=name, pipeline="shop")
    finally:
        again.close()
    assert seen["uuid"] == made["uuid"] and seen["total_records"] == 2
    assert seen["progress"] == {"events/0": [1, 1, 100]}
    assert seen["properties"]["owner"] == "analysts"
    assert rows(lake, name) == expected(new)
    with pytest.raises(Refused, match="exists already"):
        weir.create(name)


def test_a_missing_table_is_told_as_such(weir):
    with pytest.raises(Refused, match="WEIR0401"):
        weir.do("load", table="retail.nothing", pipeline="shop")


def test_the_second_of_two_appends_to_one_base_is_a_conflict(lake, weir, name):
    weir.create(name)
    other = lake.driver()
    try:
        other.do("load", table=name, pipeline="other")
        assert weir.do("append", rows=[event("a")], progress={}) == "committed"
        assert other.do("append", rows=[event("b")], progress={}) == "conflict"
    finally:
        other.close()
    assert rows(lake, name) == expected([event("a")])


def test_expiry_and_clean_up_leave_what_is_needed(lake, weir, name):
    weir.create(name)
    expiry = {"max_age_us": 0, "keep_at_least": 2, "keep_at_most": 2, "reader_grace_us": 0}
    new = [event(f"e{epoch}") for epoch in range(1, 9)]
    for epoch, row in enumerate(new, 1):
        assert weir.append([row], epoch, expiry=expiry) == "committed"
        weir.do("clean_up")
    table = lake.table(name)
    assert len(table.metadata.snapshots) == 2
    assert rows_of(table.scan().to_arrow()) == expected(new)
    folder = lake.warehouse / name.replace(".", "/") / "metadata"
    assert len(list(folder.glob("snap-*.avro"))) <= 3


def test_columns_are_added_and_widened(lake, weir, name):
    """Old files read as they are: null in the new column, the narrow values in the wide one."""
    weir.create(name)
    weir.append([event("a")], 1)
    weir.do("load")
    assert weir.do("evolve", add=[{"name": "coupon", "type": "string"}],
                   widen=[{"name": "quantity", "type": "long"}]) == "committed"
    assert weir.append([dict(event("b", quantity=2**40), coupon="SPRING")], 2) == "committed"
    read = lake.table(name).scan().to_arrow().sort_by("event_id")
    assert read.column("coupon").to_pylist() == [None, "SPRING"]
    assert read.column("quantity").to_pylist() == [1, 2**40]
    ids = [field.field_id for field in lake.table(name).schema().fields]
    assert lake.table(name).schema().find_field("coupon").field_id == max(ids) == 6
    with pytest.raises(Refused, match="WEIR0402"):
        weir.do("load")
        weir.do("evolve", add=[{"name": "coupon", "type": "int"}])


def test_columns_of_others_in_between_are_a_conflict_and_rows_of_others_stay(shared, weir, name):
    weir.create(name, partition_by=[])
    weir.append([event("a")], 1)
    weir.do("load")
    with shared.table(name).update_schema() as update:
        update.add_column("channel", StringType())
    coupon = [{"name": "coupon", "type": "string"}]
    assert weir.do("evolve", add=coupon) == "conflict"
    weir.do("load")
    assert weir.do("evolve", add=coupon) == "committed"
    assert weir.append([dict(event("b"), coupon="SPRING")], 2) == "committed"
    assert shared.table(name).schema().column_names[-2:] == ["channel", "coupon"]
    assert rows(shared, name) == expected([event("a"), event("b")])


def test_a_table_gets_another_name(shared, weir, name):
    weir.create(name)
    weir.append([event("a")], 1)
    weir.do("rename", **{"from": name, "to": name + "_old"})
    assert rows(shared, name + "_old") == expected([event("a")])
    with pytest.raises(Refused, match="WEIR0401"):
        weir.do("load", table=name, pipeline="shop")


# --- another writer ------------------------------------------------------------------------------


def test_by_turns_nothing_is_lost(shared, weir, name):
    weir.create(name, partition_by=[])
    new = []
    for turn in range(1, 4):
        new += [event(f"w{turn}"), event(f"p{turn}")]
        assert weir.append([new[-2]], turn) == "committed"
        foreign_append(shared.table(name), new[-1])
        assert weir.do("load")["progress"] == {"events/0": [1, turn, 100 * turn]}
    assert rows(shared, name) == expected(new)


def test_at_once_nothing_is_lost_or_doubled(shared, weir, name):
    weir.create(name, partition_by=[], properties={"commit.retry.num-retries": "0"})
    ours = [event(f"w{i}") for i in range(1, 16)]
    theirs = [event(f"p{i}") for i in range(1, 11)]
    failures = []

    def write_theirs():
        try:
            for row in theirs:
                for _ in range(100):
                    try:
                        foreign_append(shared.table(name), row)
                        break
                    except CommitFailedException:
                        pass
        except Exception as error:  # noqa: BLE001: told by the assertion below
            failures.append(error)

    writer = threading.Thread(target=write_theirs)
    writer.start()
    for epoch, row in enumerate(ours, 1):
        append_until_it_lands(weir, [row], epoch)
    writer.join()
    assert failures == []
    assert rows(shared, name) == expected(ours + theirs)


def test_a_property_set_by_others_stays(shared, weir, name):
    weir.create(name, partition_by=[])
    weir.append([event("a")], 1)
    weir.do("load")
    with shared.table(name).transaction() as change:
        change.set_properties(owner="somebody")
    # Where whole versions are compared it is a conflict; where references are, both stay.
    append_until_it_lands(weir, [event("b")], 2)
    table = shared.table(name)
    assert table.properties["owner"] == "somebody"
    assert rows_of(table.scan().to_arrow()) == expected([event("a"), event("b")])


def test_foreign_expiry_is_no_rollback(shared, weir, name):
    weir.create(name, partition_by=[])
    for epoch in range(1, 5):
        weir.append([event(f"e{epoch}")], epoch)
    table = shared.table(name)
    keep = table.current_snapshot().snapshot_id
    old = [s.snapshot_id for s in table.metadata.snapshots if s.snapshot_id != keep]
    table.maintenance.expire_snapshots().by_ids(old).commit()
    seen = weir.do("load")
    assert seen["lineage"] == 0 and seen["progress"] == {"events/0": [1, 4, 400]}
    assert weir.append([event("e5")], 5) == "committed"


def test_a_rollback_stops_us_until_it_is_accepted(shared, weir, name):
    weir.create(name, partition_by=[])
    for epoch in range(1, 4):
        weir.append([event(f"e{epoch}")], epoch)
    table = shared.table(name)
    table.manage_snapshots().rollback_to_snapshot(table.metadata.snapshots[0].snapshot_id).commit()
    assert weir.do("load")["lineage"] == 2
    with pytest.raises(Refused, match="WEIR0203"):
        weir.do("append", rows=[event("e4")], progress={"events/0": [1, 4, 400]})
    assert weir.do("accept_rollback") == "committed"
    assert weir.append([event("e4")], 4) == "committed"
    assert rows(shared, name) == expected([event("e1"), event("e4")])


def test_branches_and_tags_of_others_stay(shared, weir, name):
    weir.create(name, partition_by=[])
    weir.append([event("a")], 1)
    table = shared.table(name)
    first = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_branch(first, "audit").create_tag(first, "month").commit()
    expiry = {"max_age_us": 0, "keep_at_least": 1, "keep_at_most": 1, "reader_grace_us": 0}
    for epoch in range(2, 5):
        append_until_it_lands(weir, [event(f"e{epoch}")], epoch)
        weir.do("load")
        weir.do("append", rows=[], progress={}, expiry=expiry)
        weir.do("clean_up")
    table = shared.table(name)
    assert {"main", "audit", "month", "weir-shop"} == set(table.metadata.refs)
    assert rows_of(table.scan(snapshot_id=first).to_arrow()) == expected([event("a")])
    table.manage_snapshots().remove_tag("month").commit()
    assert weir.append([event("last")], 5) == "committed"


def test_a_dropped_table_is_missing_and_a_new_one_is_another(shared, weir, name):
    before = weir.create(name, partition_by=[])
    weir.append([event("a")], 1)
    weir.do("load")
    schema = shared.table(name).schema()
    shared.pyiceberg().drop_table(name)
    with pytest.raises(Refused, match="WEIR0401"):
        weir.do("load")
    shared.pyiceberg().create_table(name, schema)
    # A commit to the table that is gone must not land in the one that took its name.
    assert weir.do("append", rows=[], progress={"events/0": [1, 2, 200]}) == "conflict"
    seen = weir.do("load")
    assert seen["uuid"] != before["uuid"] and "progress" not in seen
    assert shared.table(name).scan().to_arrow().num_rows == 0


def test_columns_renamed_and_added_by_others(shared, weir, name):
    weir.create(name, partition_by=[])
    weir.append([event("a")], 1)
    with shared.table(name).update_schema() as update:
        update.rename_column("kind", "sort")
        update.add_column("channel", StringType())
    weir.do("load")
    renamed = {("sort" if k == "kind" else k): v for k, v in event("b").items()}
    assert weir.append([{**renamed, "channel": "app"}], 2) == "committed"
    read = shared.table(name).scan().to_arrow().sort_by("event_id")
    assert read.column("sort").to_pylist() == ["buy", "buy"]
    assert read.column("channel").to_pylist() == [None, "app"]


def test_a_new_partition_spec_and_a_new_order_of_others(shared, weir, name):
    weir.create(name)
    weir.append([event("a")], 1)
    with shared.table(name).update_spec() as update:
        update.add_field("event_id", BucketTransform(4), "id_bucket")
    table = shared.table(name)
    with table.update_sort_order() as update:
        update.asc("event_id", IdentityTransform(), NullOrder.NULLS_FIRST)
    assert weir.append([event("b"), event("c")], 2) == "committed"
    table = shared.table(name)
    specs = {task.file.spec_id for task in table.scan().plan_files()}
    orders = {task.file.sort_order_id for task in table.scan().plan_files()}
    assert specs == {0, table.spec().spec_id}
    assert table.sort_order().order_id in orders
    assert rows_of(table.scan().to_arrow()) == expected([event("a"), event("b"), event("c")])


# --- servers that go and answers that are lost ---------------------------------------------------


def test_a_server_that_was_killed_is_found_again(served, weir, name):
    weir.create(name)
    weir.append([event("a")], 1)
    served.stop()
    with pytest.raises(Refused, match="WEIR0404"):
        weir.do("load")
    served.restart()
    append_until_it_lands(weir, [event("b")], 2)
    assert rows(served, name) == expected([event("a"), event("b")])


def cutter_of(lake):
    """A relay to the catalog's server that can lose the answer to a commit."""
    options = lake.driver_options()
    if options["catalog"] == "rest":
        port = int(lake.uri.rsplit(":", 1)[1])
        relay = Cutter(port, lambda data: data.startswith(b"POST") and b"/tables/" in data)
        return relay, {**options, "uri": f"http://127.0.0.1:{relay.own_port}"}
    port = int(lake.url.split(":")[-1].split("/")[0])
    relay = Cutter(port, lambda data: b"COMMIT\0" in data)
    return relay, {**options, "database": lake.url.replace(str(port), str(relay.own_port))}


def test_a_change_of_columns_whose_answer_is_lost_is_found_not_repeated(served, name):
    relay, options = cutter_of(served)
    weir = Driver(**options)
    try:
        weir.create(name)
        for column in ("one", "two"):
            weir.do("load")
            relay.armed = True
            assert weir.do("evolve", add=[{"name": column, "type": "string"}]) in (
                "unknown", "conflict")
            deadline = time.monotonic() + 30
            while column not in served.table(name).schema().column_names:
                assert time.monotonic() < deadline
                time.sleep(0.1)
    finally:
        weir.close()
        relay.close()
    assert relay.lost == 2
    assert served.table(name).schema().column_names[-2:] == ["one", "two"]


def test_a_commit_whose_answer_is_lost_is_found_not_repeated(served, name):
    relay, options = cutter_of(served)
    weir = Driver(**options)
    try:
        weir.create(name)
        weir.append([event("a")], 1)
        for epoch in range(2, 6):
            weir.do("load")
            relay.armed = True
            row = [event(f"e{epoch}")]
            # An HTTP client may have sent it once more by itself: then it hears of a conflict,
            # which is the echo of its own success.
            assert weir.do("append", rows=row, progress={
                "events/0": [1, epoch, 100 * epoch]}) in ("unknown", "conflict")
            weir.do("clean_up")
            # The request may still be at work when the client knows that its answer is lost.
            append_until_it_lands(weir, row, epoch)
    finally:
        weir.close()
        relay.close()
    assert relay.lost == 4
    assert rows(served, name) == expected([event("a")] + [event(f"e{i}") for i in range(2, 6)])
