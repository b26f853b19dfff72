#!/usr/bin/env python3
"""Works out anew what the tables of random streams must hold, and compares all rows of all tables.

    stream_oracle.py PROGRAM FIRST LAST [--altered]

PROGRAM (stream_run) runs the streams of the seeds FIRST to LAST through the engine. Everything here
follows docs/SEMANTICS.md by sorting and recomputing, and shares nothing with the engine. With
--altered, one row at a time is changed, dropped or doubled in each table, and each must be noticed.
Exits 0 when all agree.
"""

import collections
import concurrent.futures
import copy
import datetime
import decimal
import fractions
import json
import random
import subprocess
import sys

EPOCH = datetime.datetime(1970, 1, 1)
MINUTE, HOUR, DAY = 60_000_000, 3_600_000_000, 86_400_000_000
KINDS = {"id": str, "user": str, "time": "time", "type": str, "page": str, "country": str,
         "who": str, "n": 31, "big": 63, "qty": 31, "price": 4, "ratio": float}
Row = collections.namedtuple("Row", ["at", "time", "partition", "offset"])


class Bad(Exception):
    """Reason and pointer."""


# --- values as the program prints them ---------------------------------------------------------

def stamp(us):
    return (EPOCH + datetime.timedelta(microseconds=us)).isoformat() + "Z"


def text(value, kind=None):
    if value is None:
        return "null"
    if kind == "time":
        return stamp(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return f"{value:f}" if isinstance(value, decimal.Decimal) else str(value)


def rounded(exact, digits):
    """Half away from zero."""
    scaled = abs(exact) * 10 ** digits
    whole = int(scaled + fractions.Fraction(1, 2))
    number = decimal.Decimal(whole if exact >= 0 else -whole)
    return number.scaleb(-digits, decimal.Context(prec=60))


def ratio(part, whole):
    return part / whole if whole else None


def start_of(time, size, offset=0):
    return (time - offset) // size * size + offset


def ranked(values, tenths):
    """The smallest value of rank >= p*n."""
    return sorted(values)[-(-tenths * len(values) // 10) - 1] / 10 ** 6 if values else None


# --- rows ------------------------------------------------------------------------------------

def parse(name, value):
    kind = KINDS[name]
    if kind == "time":
        if not value.endswith("Z"):
            raise Bad("no_zone", "/time")
        return (datetime.datetime.fromisoformat(value[:-1]) - EPOCH) // datetime.timedelta(
            microseconds=1)
    if kind == 4:
        number = decimal.Decimal(value)
        if number != round(number, 4):
            raise Bad("scale_loss", "/" + name)
        return round(number, 4)
    if kind is str or kind is float:
        return kind(value)
    if not isinstance(value, int):
        raise Bad("wrong_type", "/" + name)
    return value


def read(value):
    if not value.strip():
        raise Bad("empty", "")
    try:
        event = json.loads(value, parse_float=decimal.Decimal)
    except ValueError:
        raise Bad("malformed", "") from None
    row = {name: None if event.get(name) is None else parse(name, event[name]) for name in KINDS}
    for name in ("id", "user"):
        if row[name] is None:
            raise Bad("missing", "/" + name)
        if not row[name].strip():
            raise Bad("blank", "/" + name)
    return row


def cells(row):
    out = {name: text(row.at[name], kind) for name, kind in KINDS.items()}
    return out | {"topic": '"scenario"', "partition": str(row.partition),
                  "offset": str(row.offset)}


class Stream:
    """Judges the records in the order of the log, then makes the tables from the rows."""

    def __init__(self, stream):
        self.rules = stream["rules"]
        self.tables = {table["name"]: [] for table in self.rules["tables"]}
        self.ledger = collections.Counter(read=len(stream["input"]))
        self.first, self.all = [], []    # on time: without copies, with them
        self.over_valid = {}             # rows by windows table with a rule of its own
        self.dedupe = next((t for t in self.rules["tables"] if "key" in t), None)
        newest = [self.judge(partition, [r for r in stream["input"] if r[0] == partition])
                  for partition in range(self.rules["partitions"])]
        if self.rules["finished"]:       # a partition without any record takes no part
            newest = [time for partition, time in enumerate(newest)
                      if any(r[0] == partition for r in stream["input"])]
        self.watermark = None if None in newest else min(newest) - self.rules["delay"]
        self.closing = (float("inf") if self.rules["finished"] else
                        float("-inf") if self.watermark is None else self.watermark)
        for table in self.rules["tables"]:
            getattr(self, table["from"], lambda _: None)(table)

    def named(self, *kinds):
        return [t["name"] for t in self.rules["tables"] if t["from"] in kinds]

    def judge(self, partition, records):
        newest, held = None, {}
        strict = self.named("valid", "sessions", "active_users",
                            *(["windows"] if self.dedupe else []))
        loose = [t for t in self.rules["tables"] if t["from"] == "windows" and not self.dedupe]
        for _, offset, value in records:
            if value is None:
                self.ledger["tombstone"] += 1
                continue
            try:
                at = read(value)
                if at["time"] > self.rules.get("latest", at["time"]):
                    raise Bad("event_from_future", "/time")
            except Bad as bad:
                self.ledger["quarantined"] += 1
                self.tables["quarantine.events"].append(
                    {"reason": text(bad.args[0]), "pointer": text(bad.args[1]),
                     "value": text(value), "partition": str(partition), "offset": str(offset)})
                continue
            row = Row(at, at["time"], partition, offset)
            watermark = float("-inf") if newest is None else newest - self.rules["delay"]
            newest = row.time if newest is None else max(newest, row.time)
            missed = list(strict) if row.time < watermark else []
            for table in loose:
                end = start_of(row.time, table["size"], table["offset"]) + table["size"]
                if end > watermark:
                    self.over_valid.setdefault(table["name"], []).append(row)
                else:
                    missed.append(table["name"])
            if missed:
                self.late_row(row, watermark, missed)
            else:
                self.take(row, watermark, held)
        return newest

    def late_row(self, row, watermark, missed):
        self.ledger["late"] += 1
        for name in self.named("late"):
            self.tables[name].append(cells(row) | {
                "watermark": stamp(watermark), "missed": text(", ".join(missed)),
                "lateness_ms": str((watermark - row.time) // 1000)})

    def take(self, row, watermark, held):
        self.all.append(row)
        if self.dedupe:
            key = tuple(row.at[name] for name in self.dedupe["key"])
            if key in held and held[key] >= watermark - self.dedupe["horizon"]:
                self.ledger["duplicate"] += 1
                return
            held[key] = row.time
        self.ledger["good"] += 1
        self.first.append(row)

    # --- tables ------------------------------------------------------------------------------

    def valid(self, table):
        rows = self.first if "key" in table else self.all
        self.tables[table["name"]] = [cells(row) for row in rows]

    def windows(self, table):
        groups = collections.defaultdict(list)
        rows = self.first if self.dedupe else self.over_valid.get(table["name"], [])
        for row in rows:
            start = start_of(row.time, table["size"], table["offset"])
            groups[start, tuple(row.at[name] for name in table["by"])].append(row.at)
        for (start, group), rows in groups.items():
            if self.closing < start + table["size"]:
                continue
            out = {name: text(value) for name, value in zip(table["by"], group)}
            out |= {"window_start": stamp(start), "window_end": stamp(start + table["size"])}
            for name, kind, column in table["aggregates"]:
                out[name] = self.aggregate(kind, column, rows)
            self.tables[table["name"]].append(out)

    @staticmethod
    def aggregate(kind, column, rows):
        if kind == "count":
            return str(len(rows))
        values = [row[column] for row in rows if row[column] is not None]
        if kind == "count_distinct":
            return str(len(set(values)))
        if not values:
            return "null"
        if kind in ("min", "max"):
            return text(min(values) if kind == "min" else max(values), KINDS[column])
        exact = sum(map(fractions.Fraction, values))
        if kind == "avg":
            exact /= len(values)
        if KINDS[column] == 4:
            return text(rounded(exact, 8 if kind == "avg" else 4))
        return text(float(exact) if kind == "avg" or column == "ratio" else int(exact))

    def visits(self):
        """Sessions as lists of rows in order, with whether each is open."""
        rule = next(t for t in self.rules["tables"] if t["from"] == "sessions")
        border = {"none": None, "hour": HOUR, "day": DAY}[rule["split"]]
        found = []
        for row in sorted(self.first, key=lambda r: (r.at["user"], r.time, r.partition, r.offset)):
            last = found[-1][-1] if found else None
            if (last and last.at["user"] == row.at["user"] and row.time - last.time <= rule["gap"]
                    and not (border and row.time // border != last.time // border)):
                found[-1].append(row)
            else:
                found.append([row])
        return [(rows, self.closing <= rows[-1].time + rule["gap"]) for rows in found]

    def sessions(self, table):
        for rows, is_open in self.visits():
            home = min(rows, key=lambda r: (r.partition, r.offset))
            first, last = rows[0], rows[-1]
            counts = collections.Counter(r.at["type"] for r in rows if r.at["type"] is not None)
            value = sum((fractions.Fraction(r.at["price"]) *
                         (1 if r.at["qty"] is None else r.at["qty"])
                         for r in rows if r.at["type"] == "buy" and r.at["price"] is not None),
                        fractions.Fraction(0))
            value = rounded(value, 2)
            self.tables[table["name"]].append({
                "user": text(first.at["user"]),
                "session_id": text(f"{first.at['user']}/{home.partition}/{home.offset}"),
                "session_start": stamp(first.time), "session_end": stamp(last.time),
                "duration_s": text((last.time - first.time) / 10 ** 6), "events": str(len(rows)),
                "event_counts": "{" + ", ".join(
                    sorted(f"{text(kind)}: {n}" for kind, n in counts.items())) + "}",
                "entry_page": text(first.at["page"]), "exit_page": text(last.at["page"]),
                "first_country": text(first.at["country"]), "last_n": text(last.at["n"]),
                "is_bounce": text(len(rows) == 1),
                "order_value": text(value if abs(value) < 10 ** 16 else None),
                "is_open": text(is_open), "source_partition": str(home.partition)})

    @staticmethod
    def reached(rows, steps):
        """Times of the steps that a session reaches."""
        times = []
        for row in rows:
            if len(times) < len(steps) and row.at["type"] == steps[len(times)]:
                times.append(row.time)
        return times

    def funnel(self, table):
        windows = collections.defaultdict(list)
        for rows, is_open in self.visits():
            windows[start_of(rows[0].time, table["size"])].append(
                (self.reached(rows, table["steps"]), is_open))
        for start, found in windows.items():
            end = start + table["size"]
            is_final = self.closing > end and not any(is_open for _, is_open in found)
            counts = [sum(len(t) > i for t, _ in found) for i in range(len(table["steps"]))]
            for i, step in enumerate(table["steps"]):
                spans = [t[i] - t[0] for t, _ in found if len(t) > i]
                self.tables[table["name"]].append({
                    "window_start": stamp(start), "window_end": stamp(end), "step": str(i + 1),
                    "event_type": text(step), "sessions": str(counts[i]),
                    "from_first": text(ratio(counts[i], counts[0])),
                    "from_previous": text(ratio(counts[i], counts[max(i - 1, 0)])),
                    "median_s": text(ranked(spans, 5)), "is_final": text(is_final)})

    def session_stats(self, table):
        windows = collections.defaultdict(list)
        for rows, _ in self.visits():
            windows[start_of(rows[-1].time, table["size"])].append(rows)
        for start, found in windows.items():
            if self.closing < start + table["size"] + table["gap"]:
                continue
            spans = [rows[-1].time - rows[0].time for rows in found]
            self.tables[table["name"]].append({
                "window_start": stamp(start), "window_end": stamp(start + table["size"]),
                "sessions": str(len(found)), "median_s": text(ranked(spans, 5)),
                "p90_s": text(ranked(spans, 9)),
                "bounces": str(sum(len(rows) == 1 for rows in found))})

    def active_users(self, table):
        users = {5: collections.defaultdict(set), 30: collections.defaultdict(set)}
        for row in self.first:
            for span, by_minute in users.items():
                for step in range(1, span + 1):
                    if row.at["who"] is not None:
                        by_minute[row.time // MINUTE + step].add(row.at["who"])
        self.tables[table["name"]] = [
            {"minute": stamp(m * MINUTE), "users_5m": str(len(users[5][m])),
             "users_30m": str(len(users[30][m]))}
            for m in users[30] if m * MINUTE <= self.closing]


# --- comparing ---------------------------------------------------------------------------------

def differences(stream):
    """Lines that name the table, or the figure, in front of a colon."""
    want = Stream(stream)
    lines = [f"verify: {finding}" for finding in stream["unproven"]]
    if stream["watermark"] != want.watermark:
        lines.append(f"watermark: {stream['watermark']}, not {want.watermark}")
    for name, count in stream["ledger"].items():
        if count != want.ledger[name]:
            lines.append(f"ledger {name}: {count}, not {want.ledger[name]}")
    for table in stream["rules"]["tables"]:
        name, expected = table["name"], want.tables[table["name"]]
        got = stream["tables"][name]
        if table["from"] == "invalid":   # messages are for people
            columns = ["reason", "pointer", "value", "partition", "offset"]
        else:
            columns = [c for c in got["columns"] if c != "ingestion_time"]
        places = [got["columns"].index(column) for column in columns]
        there = collections.Counter(tuple(row[place] for place in places) for row in got["rows"])
        should = collections.Counter(tuple(row[column] for column in columns) for row in expected)
        if expected and len(expected[0]) != len(columns):
            lines.append(f"{name}: has the columns {columns}, not {list(expected[0])}")
        for row in (there - should).elements():
            lines.append(f"{name}: has {dict(zip(columns, row))}")
        for row in (should - there).elements():
            lines.append(f"{name}: lacks {dict(zip(columns, row))}")
    return lines


def unnoticed(stream, dice):
    """Alters one row of each table: (kinds of altered rows, lines on those not noticed)."""
    kinds, lines = set(), []
    for table in stream["rules"]["tables"]:
        altered = copy.deepcopy(stream)
        rows = altered["tables"][table["name"]]["rows"]
        if not rows:
            continue
        row, way = dice.randrange(len(rows)), dice.choice(["changed", "dropped", "doubled"])
        if way == "changed":
            columns = altered["tables"][table["name"]]["columns"]
            place = columns.index(dice.choice(
                ["reason", "value", "offset"] if table["from"] == "invalid" else
                [column for column in columns if column != "ingestion_time"]))
            rows[row][place] = "7" if rows[row][place] != "7" else "8"
        elif way == "dropped":
            rows.pop(row)
        else:
            rows.append(rows[row])
        kinds.add(f"{table['from']} {way}")
        found = differences(altered)
        if not found or any(not line.startswith(table["name"] + ":") for line in found):
            lines.append(f"{table['name']}: row {row} was {way}, and that shows as {found}")
    return kinds, lines


def run(program, first, last, altered):
    """Of some seeds: (streams, rows, kinds of altered rows, lines)."""
    streams = rows = 0
    kinds, lines = set(), []
    with subprocess.Popen([program, str(first), str(last)], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            stream = json.loads(line)
            streams += 1
            rows += sum(len(table["rows"]) for table in stream["tables"].values())
            found = differences(stream)
            if altered and not found:
                more, found = unnoticed(stream, random.Random(stream["seed"]))
                kinds |= more
            if found:
                lines.append(f"seed {stream['seed']} (again: {sys.argv[0]} {program} "
                             f"{stream['seed']} {stream['seed']})")
                lines += ["  " + line for line in found[:12]]
    if process.returncode != 0:
        lines.append(f"{program} {first} {last} ended with {process.returncode}")
    return streams, rows, kinds, lines


def main():
    altered = sys.argv[-1] == "--altered"
    program, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    step = 100
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(run, program, seed, min(seed + step - 1, last), altered)
                for seed in range(first, last + 1, step)]
        streams, rows, kinds, lines = 0, 0, set(), []
        for job in jobs:
            result = job.result()
            streams, rows = streams + result[0], rows + result[1]
            kinds, lines = kinds | result[2], lines + result[3]
    if altered:
        made = {f"{kind} {way}" for way in ("changed", "dropped", "doubled")
                for kind in ("valid", "invalid", "late", "windows", "sessions", "funnel",
                             "session_stats", "active_users")}
        lines += [f"no row was altered so: {kind}" for kind in sorted(made - kinds)]
    if streams != last - first + 1:
        lines.append(f"{streams} streams came, not {last - first + 1}")
    print("\n".join(lines[:200]) if lines else
          f"{streams} streams, {rows} rows: all tables are what they must be"
          + (", and every altered row was noticed" if altered else ""))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
