"""Our Parquet files, read by PyArrow and DuckDB, hold what the writer says they hold."""

import datetime
import json
import os
import pathlib
import subprocess
import uuid

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build" / "dev"))
FLAT = ["types_zstd", "types_snappy", "types_gzip", "types_lz4", "types_none", "pages", "nulls"]
URLS = ["middle", "surrogate", "highest", "emoji", "exact", "empty", "zero_byte", "long"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet")
    subprocess.run([BUILD / "tests/conformance/parquet_samples", path], check=True)
    return path


def truth_of(folder, name):
    return json.loads((folder / f"{name}.json").read_text())


def plain(value, kind):
    """A PyArrow value in the form that the samples' JSON uses."""
    if value is None:
        return None
    if pa.types.is_timestamp(kind):
        return value // datetime.timedelta(microseconds=1)
    if pa.types.is_decimal(kind):
        return format(value, "f")
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_binary(kind):
        return value.hex()
    if isinstance(kind, pa.UuidType):
        return value.hex
    if pa.types.is_struct(kind):
        return {field.name: plain(value[field.name], field.type) for field in kind}
    if pa.types.is_map(kind):
        return [[plain(k, kind.key_type), plain(v, kind.item_type)] for k, v in value]
    if pa.types.is_list(kind):
        return [plain(item, kind.value_type) for item in value]
    return value


def column_values(column):
    # Far years do not fit Python's datetime: whole numbers instead.
    kind = column.type
    if pa.types.is_timestamp(kind):
        return column.cast(pa.int64()).to_pylist()
    if pa.types.is_date(kind):
        return column.cast(pa.int32()).to_pylist()
    return [plain(value, kind) for value in column.to_pylist()]


def rows_of(table):
    return [list(row) for row in zip(*(column_values(column) for column in table.columns))]


@pytest.mark.parametrize("name", FLAT + ["nested", "times"] + ["url_" + url for url in URLS])
def test_pyarrow_reads_every_row(folder, name):
    truth = truth_of(folder, name)
    table = pq.read_table(folder / f"{name}.parquet")
    assert rows_of(table) == truth["rows"]


@pytest.mark.parametrize("name", FLAT + ["nested"])
def test_page_checksums_hold(folder, name):
    pq.read_table(folder / f"{name}.parquet", page_checksum_verification=True)


def ids_of(field):
    own = int(field.metadata[b"PARQUET:field_id"])
    kind = field.type
    if pa.types.is_struct(kind):
        children = {child.name: ids_of(child) for child in kind}
    elif pa.types.is_map(kind):
        children = {"key": ids_of(kind.key_field), "value": ids_of(kind.item_field)}
    elif pa.types.is_list(kind):
        children = {"element": ids_of(kind.value_field)}
    else:
        children = {}
    return {"id": own, "children": children}


@pytest.mark.parametrize("name", ["types_zstd", "nested"])
def test_every_node_has_its_field_id(folder, name):
    schema = pq.read_schema(folder / f"{name}.parquet")
    assert {field.name: ids_of(field) for field in schema} == truth_of(folder, name)["ids"]
    assert b"ARROW:schema" not in (pq.read_metadata(folder / f"{name}.parquet").metadata or {})


def test_types_are_those_of_the_table(folder):
    schema = pq.ParquetFile(folder / "types_zstd.parquet").schema
    columns = {schema.column(i).name: schema.column(i) for i in range(len(schema))}
    physical = {name: column.physical_type for name, column in columns.items()}
    assert physical["price"] == "INT32"
    assert physical["amount"] == "INT64"
    assert physical["total"] == "FIXED_LEN_BYTE_ARRAY" and columns["total"].length == 16
    assert physical["id"] == "FIXED_LEN_BYTE_ARRAY" and columns["id"].length == 16
    assert json.loads(columns["id"].logical_type.to_json())["Type"] == "UUID"
    at, local = (json.loads(columns[name].logical_type.to_json()) for name in ("at", "local"))
    assert (at["isAdjustedToUTC"], at["timeUnit"]) == (True, "microseconds")
    assert (local["isAdjustedToUTC"], local["timeUnit"]) == (False, "microseconds")
    assert json.loads(columns["total"].logical_type.to_json())["precision"] == 38
    assert columns["key"].max_definition_level == 0
    assert columns["name"].max_definition_level == 1


@pytest.mark.parametrize("name", FLAT + ["nested"])
def test_footer_agrees_with_the_data_file(folder, name):
    truth = truth_of(folder, name)
    path = folder / f"{name}.parquet"
    metadata = pq.read_metadata(path)
    assert metadata.created_by.startswith("weir version ")
    assert metadata.num_rows == truth["record_count"] == len(truth["rows"])
    assert path.stat().st_size == truth["file_bytes"]
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    offsets = [group.column(0).dictionary_page_offset or group.column(0).data_page_offset
               for group in groups]
    assert offsets == truth["split_offsets"]
    # Leaves come in the order of the schema; metrics are by id.
    schema = pq.read_schema(path)
    ids = []

    def collect(node):
        if node["children"]:
            for child in node["children"].values():
                collect(child)
        else:
            ids.append(node["id"])

    for field in schema:
        collect(ids_of(field))
    for leaf, field_id in enumerate(ids):
        metrics = truth["metrics"][str(field_id)]
        chunks = [group.column(leaf) for group in groups]
        assert sum(chunk.total_compressed_size for chunk in chunks) == metrics["compressed"]
        assert sum(chunk.num_values for chunk in chunks) == metrics["values"]
        assert sum(chunk.statistics.null_count for chunk in chunks) == metrics["nulls"]
        for chunk in chunks:
            assert chunk.has_column_index or chunk.statistics.num_values == 0 or name == "nested"
            assert chunk.has_offset_index
            assert set(chunk.encodings) <= {"PLAIN", "RLE", "RLE_DICTIONARY"}


@pytest.mark.parametrize("name", FLAT)
def test_statistics_are_the_true_ends(folder, name):
    file = pq.ParquetFile(folder / f"{name}.parquet")
    for group in range(file.num_row_groups):
        for leaf, column in enumerate(file.read_row_group(group).columns):
            if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
                continue  # compared in DuckDB's filters: these lie outside Python's calendar
            statistics = file.metadata.row_group(group).column(leaf).statistics
            values = [value for value in column.to_pylist() if value is not None]
            assert statistics.has_min_max == bool(values)
            if not values:
                continue
            if isinstance(values[0], uuid.UUID):
                values = [value.bytes for value in values]
            order = str.encode if isinstance(values[0], str) else None
            assert statistics.min == min(values, key=order)
            assert statistics.max == max(values, key=order)


def bound(truth, field_id, end):
    text = truth["metrics"][str(field_id)][end]
    return None if text is None else bytes.fromhex(text)


@pytest.mark.parametrize("url, lower, upper", [
    ("middle", "A" * 15 + "\u2022", "A" * 15 + "\u2023"),
    ("surrogate", "A" * 15 + "\ud7ff", "A" * 15 + "\ue000"),
    ("highest", "\U0010ffff" * 16, None),
    ("emoji", "\U0001f600" * 16, "\U0001f600" * 15 + "\U0001f601"),
    ("exact", "exactly16letters", "exactly16letters"),
    ("empty", "", ""),
])
def test_string_bounds_are_cut_at_code_points(folder, url, lower, upper):
    truth = truth_of(folder, "url_" + url)
    assert bound(truth, 1, "lower") == lower.encode()
    assert bound(truth, 1, "upper") == (None if upper is None else upper.encode())


@pytest.mark.parametrize("url", URLS)
def test_filters_find_every_url(folder, url):
    path = folder / f"url_{url}.parquet"
    value = truth_of(folder, "url_" + url)["rows"][0][0]
    assert pq.read_table(path, filters=[("url", "=", value)]).num_rows == 1
    if "\0" not in value:  # SQL parameters end there
        found = duckdb.execute(f"SELECT count(*) FROM '{path}' WHERE url = ?", [value]).fetchone()
        assert found == (1,)


@pytest.mark.parametrize("name", FLAT)
def test_duckdb_reads_every_row(folder, name):
    truth = truth_of(folder, name)
    wanted = []
    for column in pq.read_schema(folder / f"{name}.parquet").names:
        quoted = f'"{column}"'
        wanted.append({
            "at": f"epoch_us({quoted})", "local": f"epoch_us({quoted})",
            "day": f"datediff('day', DATE '1970-01-01', {quoted})",
            "id": f"replace({quoted}::VARCHAR, '-', '')", "raw": f"lower(hex({quoted}))",
            "price": f"{quoted}::VARCHAR", "amount": f"{quoted}::VARCHAR",
            "total": f"{quoted}::VARCHAR"}.get(column, quoted))
    rows = duckdb.execute(
        f"SELECT {', '.join(wanted)} FROM read_parquet('{folder / name}.parquet')").fetchall()
    assert [list(row) for row in rows] == truth["rows"]


@pytest.mark.parametrize("name", FLAT)
def test_duckdb_filters_find_every_value(folder, name):
    path = folder / f"{name}.parquet"
    table = pq.read_table(path)
    for column, kind in (("key", "VARCHAR"), ("sequence", "BIGINT"), ("number", "INTEGER"),
                         ("price", "DECIMAL(9,2)"), ("total", "DECIMAL(38,6)")):
        values = table.column(column)
        for value in set(values.to_pylist()) - {None}:
            found = duckdb.execute(f'SELECT count(*) FROM \'{path}\' WHERE "{column}" = ?::{kind}',
                                   [str(value)]).fetchone()[0]
            assert found == pc.sum(pc.equal(values, pa.scalar(value, values.type))).as_py()
            if len(set(values.to_pylist())) > 60:
                break


def test_duckdb_reads_nested_rows(folder):
    truth = truth_of(folder, "nested")
    rows = duckdb.execute(
        f"SELECT place, tags, items, attributes FROM '{folder}/nested.parquet'").fetchall()
    for row, expected in zip(rows, truth["rows"], strict=True):
        assert list(row[:3]) == expected[:3]
        entries = None if expected[3] is None else {key: value for key, value in expected[3]}
        assert row[3] == entries


def test_far_times_are_exact(folder):
    rows = duckdb.execute(
        f"SELECT epoch_us(\"at\"), day::VARCHAR FROM '{folder}/times.parquet'").fetchall()
    assert rows[0] == (253402300799999999, "9999-12-31")
    assert rows[2] == (-62135596800000000, "0001-01-01")
    assert rows[3] == (-500000, "1969-12-31")
