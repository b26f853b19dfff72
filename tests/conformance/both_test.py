"""`lake.format: both`: at every epoch the two formats hold the same rows, read by PyIceberg and by
delta-rs, which share nothing."""

import subprocess

import pytest
from deltalake import DeltaTable
from pyiceberg.catalog.sql import SqlCatalog

from program import LONGEST, ROOT, WEIR

PIPELINE = """\
pipeline: shop
source: {{spool: ./log, topic: clicks}}
state: ./state
contract: {contract}
lake: {{warehouse: ./lake, format: both}}
epoch: {{every: 1m, max_rows: 100}}
watermark: {{delay: 10m}}
tables:
  shop.bronze: {{from: source}}
  shop.bad: {{from: invalid}}
  shop.late: {{from: late}}
  shop.events: {{from: valid, partition_by: [day(event_time)]}}
  shop.sessions: {{sessions: {{by: user_id, gap: 30m}}}}
on_error: quarantine
"""
TABLES = ("bronze", "bad", "late", "events", "sessions")


def weir(folder, *arguments):
    done = subprocess.run(
        [WEIR, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=LONGEST
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("both")
    contract = ROOT / "examples" / "retail" / "retail_event.yaml"
    (folder / "pipeline.yaml").write_text(PIPELINE.format(contract=contract))
    weir(folder, "generate", "--seed", 5, "--count", 1500, "--faults", "bad=5%,late=5%:20m",
         "--mean-rate", 1, "--start", "2026-09-01T22:00:00Z", "--spool", "log", "--topic", "clicks",
         "--partitions", 2)
    weir(folder, "run", "-c", "pipeline.yaml", "--once")
    return folder


def iceberg_table(job, name):
    catalog = SqlCatalog(
        "weir", uri=f"sqlite:///{job}/lake/catalog.db", warehouse=f"file://{job}/lake"
    )
    return catalog.load_table(f"shop.{name}")


def checksum(arrow):
    """Rows and a sum over them that does not depend on their order."""
    columns = [c for c in sorted(arrow.column_names) if c not in ("event_date", "ingestion_time")]
    rows = zip(*(arrow.column(c).to_pylist() for c in columns))
    return arrow.num_rows, sum(hash(repr(row)) for row in rows)


@pytest.mark.parametrize("name", TABLES)
def test_every_epoch_is_the_same_in_both(job, name):
    table = iceberg_table(job, name)
    snapshots = sorted(table.snapshots(), key=lambda snapshot: snapshot.sequence_number)
    path = str(job / "lake" / "shop" / name)
    newest = DeltaTable(path).version()
    assert len(snapshots) == newest, "one commit an epoch on each side"
    seen = set()
    for version, snapshot in enumerate(snapshots, start=1):
        one = checksum(table.scan(snapshot_id=snapshot.snapshot_id).to_arrow())
        assert one == checksum(DeltaTable(path, version=version).to_pyarrow_table()), version
        seen.add(one)
    assert newest >= 3 and len(seen) > 1, "something was compared"


def test_the_files_are_the_same_ones(job):
    for name in TABLES:
        one = {
            task.file.file_path.split("/lake/")[1]
            for task in iceberg_table(job, name).scan().plan_files()
        }
        path = job / "lake" / "shop" / name
        other = {uri.split("/lake/")[1] for uri in DeltaTable(str(path)).file_uris()}
        assert one == other
        assert not (path / "metadata").exists()
        assert list((path / "_iceberg" / "metadata").glob("*.metadata.json"))
    weir(job, "verify", "-c", "pipeline.yaml")
