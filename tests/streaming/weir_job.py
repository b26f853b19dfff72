"""The records of a case through Weir's own process, its tables read back by PyIceberg."""

import json
import subprocess

from pyiceberg.catalog.sql import SqlCatalog

from program import LONGEST, ROOT, WEIR

SILVER = """\
  silver.events: {from: valid, dedupe: {key: id}}
  gold.sessions: {sessions: {by: user, gap: 30m}}
"""
PIPELINE = """\
pipeline: streaming
source: {{spool: ./log, topic: clicks}}
state: ./state
contract: {contract}
lake: {{warehouse: ./lake}}
watermark: {{delay: 10m}}
on_error: quarantine
tables:
  quarantine.events: {{from: invalid}}
  late.events: {{from: late}}
{silver}  gold.windows:
    windows: {{size: 5m, by: [type], aggregates: {{count: count, qty: sum(qty), last: max(time)}}}}
"""


def weir(*arguments, stdin=None):
    done = subprocess.run(
        [WEIR, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=LONGEST
    )
    assert done.returncode == 0, done.stdout + done.stderr


def micros(value):
    return None if value is None else int(value.timestamp()) * 1_000_000 + value.microsecond


def plain(row):
    """Times as microseconds, decimals as numbers."""
    return {
        name: micros(value) if hasattr(value, "timestamp") else
        int(value) if name == "qty" and value is not None else value
        for name, value in row.items()
    }


def tables(folder, batches, over_silver=True):
    """Rows of all tables at the end of a bounded run. Over valid rows there are windows only."""
    folder.mkdir(parents=True)
    pipeline = folder / "pipeline.yaml"
    contract = ROOT / "tests" / "golden" / "shared" / "click.yaml"
    pipeline.write_text(PIPELINE.format(contract=contract, silver=SILVER if over_silver else ""))
    events = [event for batch in batches for event in batch]
    partitions = 1 + max(event.get("partition", 0) for event in events)
    lines = "".join(
        json.dumps({"partition": event.get("partition", 0),
                    "value": json.dumps({k: v for k, v in event.items() if k != "partition"})})
        + "\n"
        for event in events
    )
    weir("produce", "-c", pipeline, "--envelope", "--partitions", partitions, stdin=lines)
    weir("run", "-c", pipeline, "--once")
    catalog = SqlCatalog(
        "weir", uri=f"sqlite:///{folder}/lake/catalog.db", warehouse=f"file://{folder}/lake"
    )
    names = [".".join(name) for space in catalog.list_namespaces()
             for name in catalog.list_tables(space)]
    return {name: [plain(row) for row in catalog.load_table(name).scan().to_arrow().to_pylist()]
            for name in names}
