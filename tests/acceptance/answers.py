"""What the tables of the medallion job must hold, computed from the records themselves.

Nothing is shared with the program: tests/oracle/check_key.py reads the values, a few lines of
Python tell late and duplicate, and DuckDB sorts and counts the rest in one go, without batches or
state.
"""

import collections
import pathlib
import sys

import duckdb
import pyarrow as pa

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))
import check_key  # noqa: E402

MINUTE = 60_000_000
DAY = 24 * 60 * MINUTE
DELAY = HORIZON = 10 * MINUTE
GAP = 30 * MINUTE
WINDOW = 5 * MINUTE
STEPS = ["product_view", "add_to_cart", "checkout_start", "purchase"]
MISSED = "silver.events, gold.sessions, gold.active_users, gold.event_windows"

TYPES = {
    "string": pa.string(),
    "timestamp": pa.int64(),
    "int": pa.int32(),
    "decimal": pa.decimal128(10, 2),
}


class Answers:
    """Tables by name, as relations of DuckDB whose times are microseconds."""

    def __init__(self, lines, topic="clickstream.events", contract=check_key.RETAIL):
        self.contract = contract
        self.topic = topic
        self.db = duckdb.connect()
        self.outcomes = collections.defaultdict(list)  # partition -> one outcome an offset
        self.copies_late = 0
        self.bronze, self.bad, self.valid = [], [], []
        with open(lines, "rb") as file:
            for partition, key, value in check_key.enveloped_records(file):
                self.read(partition, key, value)
        self.judge()

    def read(self, partition, key, value):
        offset = len(self.outcomes[partition])
        place = {"topic": self.topic, "partition": partition, "offset": offset}
        self.bronze.append({**place, "key": key, "value": value})
        self.outcomes[partition].append("tombstone" if value is None else "")
        if value is None:
            return
        try:
            row = check_key.read_row(value, self.contract)
        except check_key.Rejected as rejected:
            self.outcomes[partition][offset] = "quarantined"
            self.bad.append({"reason": rejected.args[0], "key": key, "value": value, **place})
            return
        self.valid.append({**row, **place})

    def judge(self):
        """Late by its partition's watermark before it; a duplicate while its key is held."""
        newest, held = {}, collections.defaultdict(dict)
        self.late, self.silver = [], []
        time_of, id_of = self.contract["event_time"], self.contract["event_id"]
        for row in self.valid:
            partition, time = row["partition"], row[time_of]
            watermark = newest.get(partition, time) - DELAY
            newest[partition] = max(newest.get(partition, time), time)
            key = row.get(id_of)
            first = held[partition].get(key)
            if time < watermark:
                self.copies_late += first is not None
                self.outcomes[partition][row["offset"]] = "late"
                self.late.append(
                    {
                        **row,
                        "watermark": watermark,
                        "missed": MISSED,
                        "lateness_ms": (watermark - time) // 1000,
                    }
                )
            elif first is not None and first >= watermark - HORIZON:
                self.outcomes[partition][row["offset"]] = "duplicate"
            else:
                held[partition][key] = time
                self.outcomes[partition][row["offset"]] = "good"
                self.silver.append(row)
        # A partition without a valid record would hold the watermark; this corpus has none.
        self.watermark = min(newest.values()) - DELAY
        self.newest = newest

    def register(self):
        """All tables as views of these names with the dot as an underscore."""
        place = {"topic": pa.string(), "partition": pa.int32(), "offset": pa.int64()}
        event = {name: TYPES[kind] for name, kind in self.contract["types"].items()}
        record = {"key": pa.binary(), "value": pa.binary()}
        self.put("bronze_events", {**place, **record}, self.bronze)
        self.put("quarantine_events", {"reason": pa.string(), **record, **place}, self.bad)
        self.put("silver_events", {**event, **place}, self.silver)
        self.put(
            "late_events",
            {
                **event,
                **place,
                "watermark": pa.int64(),
                "lateness_ms": pa.int64(),
                "missed": pa.string(),
            },
            self.late,
        )
        for name, query in self.queries().items():
            self.db.execute(f"CREATE TABLE {name} AS {query}")
        self.put(
            "gold_funnel",
            {
                "window_start": pa.int64(),
                "window_end": pa.int64(),
                "step": pa.int32(),
                "event_type": pa.string(),
                "sessions": pa.int64(),
                "from_first": pa.float64(),
                "from_previous": pa.float64(),
                "median_s": pa.float64(),
                "is_final": pa.bool_(),
            },
            list(self.funnel()),
        )
        return self

    def put(self, name, columns, rows):
        arrow = pa.table(
            {
                column: pa.array([row.get(column) for row in rows], kind)
                for column, kind in columns.items()
            }
        )
        self.db.register("given", arrow)
        self.db.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        self.db.unregister("given")

    def queries(self):
        watermark = self.watermark
        order = 'ORDER BY event_time, partition, "offset"'
        return {
            "cut": f"""
                SELECT *, sum(fresh) OVER (PARTITION BY user_id {order}
                    ROWS UNBOUNDED PRECEDING) AS number
                FROM (SELECT *, CASE WHEN event_time - lag(event_time) OVER (PARTITION BY user_id
                    {order}) <= {GAP} THEN 0 ELSE 1 END AS fresh
                    FROM silver_events)""",
            "gold_sessions": f"""
                SELECT user_id,
                  user_id || '/' || min(struct_pack(p := partition, o := "offset")).p || '/' ||
                    min(struct_pack(p := partition, o := "offset")).o AS session_id,
                  min(event_time) AS session_start, max(event_time) AS session_end,
                  (max(event_time) - min(event_time)) / 1e6 AS duration_s, count(*) AS events,
                  list_sort(map_entries(histogram(event_type))) AS event_counts,
                  first(page_url {order}) AS entry_page, last(page_url {order}) AS exit_page,
                  first(traffic_source {order}) AS first_traffic_source,
                  count(*) = 1 AS is_bounce,
                  coalesce(sum(coalesce(price, 0) * coalesce(quantity, 1))
                    FILTER (event_type = 'purchase'), 0)::DECIMAL(18, 2) AS order_value,
                  NOT {watermark} > max(event_time) + {GAP} AS is_open,
                  min(struct_pack(p := partition, o := "offset")).p AS source_partition
                FROM cut GROUP BY user_id, number""",
            "gold_session_stats": f"""
                SELECT day * {DAY} AS window_start, (day + 1) * {DAY} AS window_end,
                  count(*) AS sessions,
                  min(span) FILTER (2 * place >= total) / 1e6 AS median_s,
                  min(span) FILTER (10 * place >= 9 * total) / 1e6 AS p90_s,
                  count(*) FILTER (is_bounce) AS bounces
                FROM (SELECT session_end // {DAY} AS day, is_bounce,
                    session_end - session_start AS span,
                    row_number() OVER (PARTITION BY day ORDER BY span) AS place,
                    count(*) OVER (PARTITION BY day) AS total
                  FROM gold_sessions WHERE NOT is_open)
                WHERE {watermark} >= (day + 1) * {DAY} + {GAP} GROUP BY day""",
            "gold_active_users": f"""
                SELECT minute * {MINUTE} AS minute,
                  count(DISTINCT user_id) FILTER (ago <= 5) AS users_5m,
                  count(DISTINCT user_id) AS users_30m
                FROM (SELECT user_id, event_time // {MINUTE} + ago AS minute, ago
                  FROM silver_events, range(1, 31) AS minutes(ago))
                WHERE minute * {MINUTE} <= {watermark} GROUP BY minute""",
            "gold_event_windows": f"""
                SELECT event_type, event_time // {WINDOW} * {WINDOW} AS window_start,
                  event_time // {WINDOW} * {WINDOW} + {WINDOW} AS window_end, count(*) AS count,
                  count(DISTINCT user_id) AS users, sum(price)::DECIMAL(38, 2) AS revenue
                FROM silver_events GROUP BY event_type, event_time // {WINDOW}
                HAVING event_time // {WINDOW} * {WINDOW} + {WINDOW} <= {watermark}""",
        }

    def funnel(self):
        """Step k: the first row of its type after that of step k-1; a row serves one step."""
        rows = self.db.execute("""SELECT user_id, number, event_time, event_type FROM cut
            ORDER BY user_id, number, event_time, partition, "offset" """).fetchall()
        sessions = {}
        for user, number, time, kind in rows:
            session = sessions.setdefault((user, number), {"start": time, "end": time, "steps": []})
            session["end"] = time
            reached = len(session["steps"])
            if reached < len(STEPS) and kind == STEPS[reached]:
                session["steps"].append(time)
        days = collections.defaultdict(list)
        for session in sessions.values():
            days[session["start"] // DAY].append(session)
        for day, members in days.items():
            is_open = any(not self.watermark > one["end"] + GAP for one in members)
            counts = [
                sum(len(one["steps"]) > step for one in members) for step in range(len(STEPS))
            ]
            for step, name in enumerate(STEPS):
                spans = sorted(
                    one["steps"][step] - one["steps"][0]
                    for one in members
                    if len(one["steps"]) > step
                )
                before = counts[max(step - 1, 0)]
                yield {
                    "window_start": day * DAY,
                    "window_end": (day + 1) * DAY,
                    "step": step + 1,
                    "event_type": name,
                    "sessions": counts[step],
                    "from_first": counts[step] / counts[0] if counts[0] else None,
                    "from_previous": counts[step] / before if before else None,
                    "median_s": spans[(len(spans) - 1) // 2] / 1e6 if spans else None,
                    "is_final": self.watermark > (day + 1) * DAY and not is_open,
                }


TABLES = (
    "bronze.events",
    "silver.events",
    "quarantine.events",
    "late.events",
    "gold.sessions",
    "gold.session_stats",
    "gold.funnel",
    "gold.active_users",
    "gold.event_windows",
)


def plain(arrow, left_out=("ingestion_time",)):
    """The columns of a table as expressions whose values compare alike: times are microseconds."""
    columns = {}
    for field in arrow.schema:
        name = f'"{field.name}"'
        if field.name in left_out:
            continue
        if pa.types.is_timestamp(field.type):
            columns[name] = f"epoch_us({name})"
        elif pa.types.is_map(field.type):
            columns[name] = f"list_sort(map_entries({name}))"
        else:
            columns[name] = name
    return columns


def compare(answers, name, arrow):
    """Asserts that a table holds the answers row for row; returns how many rows those are."""
    db = answers.db
    expected = name.replace(".", "_")
    known = {row[0] for row in db.execute(f"DESCRIBE {expected}").fetchall()}
    columns = {
        column: value for column, value in plain(arrow).items() if column.strip('"') in known
    }
    assert len(columns) == len(known), f"{name} lacks {known - {c.strip(chr(34)) for c in columns}}"
    db.register("arrow_table", arrow)
    ours = f"SELECT {', '.join(f'{v} AS {c}' for c, v in columns.items())} FROM arrow_table"
    theirs = f"SELECT {', '.join(columns)} FROM {expected}"
    missing = db.execute(f"({theirs}) EXCEPT ALL ({ours})").fetchall()
    excess = db.execute(f"({ours}) EXCEPT ALL ({theirs})").fetchall()
    db.unregister("arrow_table")
    assert not missing and not excess, (
        f"{name}: {len(missing)} rows are missing, such as {missing[:2]}; "
        f"{len(excess)} are too many, such as {excess[:2]}; columns {list(columns)}"
    )
    return arrow.num_rows


def compare_all(answers, job):
    """All tables, row for row; a line for each."""
    for name in TABLES:
        rows = compare(answers, name, job.table(name))
        print(f"  {name:20} {rows:>8} rows, all as computed")
    decisions = job.table("ops.decisions").num_rows
    assert decisions == 0, f"{decisions} decisions by the clock in a run that made none"


def checksum(arrow, left_out=("ingestion_time",)):
    """Rows, and a sum of hashes over all columns that does not depend on their order."""
    db = duckdb.connect()
    db.register("arrow_table", arrow)
    values = ", ".join(plain(arrow, left_out).values())
    rows, total = db.execute(
        f"SELECT count(*), coalesce(sum(hash(row({values}))::HUGEINT), 0)" " FROM arrow_table"
    ).fetchone()
    return rows, f"{total % 2**64:016x}"
