#!/usr/bin/env python3
"""Computes an answer key anew from the events themselves and compares.

    check_key.py --key KEY.json [--envelope] EVENTS.ndjson

EVENTS holds one value a line, or with --envelope one {"partition", "key", "value" or "value_b64"}
a line. Only Python's standard library reads the events, so that a mistake that the generator and
Weir's reader share shows here. docs/GENERATOR.md defines the figures. Exits 0 when all are equal, 1
when one differs, 2 when something cannot be read.
"""

import argparse
import base64
import collections
import datetime
import decimal
import hashlib
import json
import re
import sys

EVENT_TYPES = ["page_view", "search", "product_view", "add_to_cart", "remove_from_cart",
               "checkout_start", "purchase"]
PRODUCT = ["product_id", "product_name", "category", "price"]

# Contracts: field -> type, in order; what must be there; what an event type needs besides.
RETAIL = {
    "types": {"event_id": "string", "event_time": "timestamp", "user_id": "string",
              "session_id": "string", "event_type": "string", "page_url": "string",
              "referrer_url": "string", "search_query": "string", "product_id": "string",
              "product_name": "string", "category": "string", "cart_id": "string",
              "order_id": "string", "quantity": "int", "price": "decimal",
              "device_type": "string", "browser": "string", "traffic_source": "string"},
    "required": ["event_id", "event_time", "user_id", "session_id", "event_type", "page_url",
                 "device_type", "browser", "traffic_source"],
    "event_id": "event_id", "event_time": "event_time", "event_type": "event_type",
    "least": {"quantity": 1, "price": 0},
    "needs": {"search": ["search_query"], "product_view": PRODUCT,
              "add_to_cart": PRODUCT + ["cart_id", "quantity"],
              "remove_from_cart": ["product_id", "cart_id", "quantity"],
              "checkout_start": ["cart_id"], "purchase": ["order_id", "cart_id"]},
}
EVENTS = {
    "types": {"user_id": "string", "event": "string", "ts": "timestamp"},
    "required": ["user_id", "event", "ts"],
    "event_id": None, "event_time": "ts", "event_type": "event", "least": {}, "needs": {},
}
CONTRACTS = {"retail": RETAIL, "events": EVENTS}

TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?"
                  r"([Zz]|[+-]\d\d(?::?\d\d)?)?")
EPOCH = datetime.datetime(1970, 1, 1)


class Rejected(Exception):
    """The reason code is its only argument."""


# --- reading one value -------------------------------------------------------------------------

def members_once(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise Rejected("duplicate_key")
    return dict(pairs)


def no_constant(name):
    raise json.JSONDecodeError(name, name, 0)


DECODER = json.JSONDecoder(object_pairs_hook=members_once, parse_float=decimal.Decimal,
                           parse_constant=no_constant)


def has_surrogate(value):
    if isinstance(value, str):
        return any("\ud800" <= char <= "\udfff" for char in value)
    if isinstance(value, dict):
        return any(has_surrogate(part) for pair in value.items() for part in pair)
    return isinstance(value, list) and any(has_surrogate(part) for part in value)


def parse(raw):
    try:
        text = raw.decode("utf-8").strip(" \t\r\n")
    except UnicodeDecodeError:
        raise Rejected("invalid_utf8") from None
    if not text:
        raise Rejected("empty")
    try:
        value, end = DECODER.raw_decode(text)
    except json.JSONDecodeError:
        raise Rejected("malformed") from None
    if text[end:].strip(" \t\r\n"):
        raise Rejected("trailing_data")
    if not isinstance(value, dict):
        raise Rejected("not_an_object")
    if has_surrogate(value):
        raise Rejected("invalid_utf8")
    return value


# --- values by type ----------------------------------------------------------------------------

def as_timestamp(value):
    """Microseconds since 1970."""
    if not isinstance(value, str):
        raise Rejected("wrong_type")
    found = TIME.fullmatch(value)
    if not found:
        raise Rejected("bad_timestamp")
    if not found[8]:
        raise Rejected("no_zone")
    try:
        moment = datetime.datetime(*(int(found[part]) for part in range(1, 7)))
    except ValueError:
        raise Rejected("bad_timestamp") from None
    micros = (moment - EPOCH) // datetime.timedelta(microseconds=1)
    micros += int((found[7] or "").ljust(6, "0")[:6])
    if found[8] not in "Zz":
        digits = found[8][1:].replace(":", "").ljust(4, "0")
        offset = (int(digits[:2]) * 60 + int(digits[2:])) * 60_000_000
        micros -= offset if found[8][0] == "+" else -offset
    return micros


def as_number(value, texts):
    if isinstance(value, str) and texts:
        try:
            value = decimal.Decimal(value)
        except decimal.InvalidOperation:
            raise Rejected("wrong_type") from None
    if isinstance(value, bool) or not isinstance(value, (int, decimal.Decimal)):
        raise Rejected("wrong_type")
    return decimal.Decimal(value)


def as_int(value):
    number = as_number(value, texts=False)
    if number != number.to_integral_value():
        raise Rejected("wrong_type")
    if not -2**31 <= number < 2**31:
        raise Rejected("out_of_range")
    return int(number)


def as_price(value):
    number = as_number(value, texts=True)
    if number != round(number, 2):
        raise Rejected("scale_loss")
    if abs(number) >= 10**8:
        raise Rejected("out_of_range")
    return number


def as_string(value):
    if not isinstance(value, str):
        raise Rejected("wrong_type")
    return value


READERS = {"string": as_string, "timestamp": as_timestamp, "int": as_int, "decimal": as_price}


def read_row(raw, contract):
    value = parse(raw)
    row = {name: READERS[kind](value[name]) for name, kind in contract["types"].items()
           if value.get(name) is not None}
    for name in contract["required"]:
        if name not in row:
            raise Rejected("missing")
        if isinstance(row[name], str) and not row[name].strip():
            raise Rejected("blank")
    if row[contract["event_type"]] not in EVENT_TYPES:
        raise Rejected("not_allowed")
    for name, least in contract["least"].items():
        if name in row and row[name] < least:
            raise Rejected("below_min")
    for name in contract["needs"].get(row[contract["event_type"]], []):
        if name not in row:
            raise Rejected("missing_for_type")
    return row


# --- records -----------------------------------------------------------------------------------

def murmur2(data):
    mask = 0xffffffff
    value = (0x9747b28c ^ len(data)) & mask
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at:at + 4], "little") * 0x5bd1e995 & mask
        word = (word ^ word >> 24) * 0x5bd1e995 & mask
        value = value * 0x5bd1e995 & mask ^ word
    if data[whole:]:
        value = (value ^ int.from_bytes(data[whole:], "little")) * 0x5bd1e995 & mask
    value = (value ^ value >> 13) * 0x5bd1e995 & mask
    return value ^ value >> 15


def plain_records(file):
    for line in file:
        yield None, None, line.rstrip(b"\n")


def enveloped_records(file):
    for line in file:
        record = json.loads(line)
        value = record.get("value")
        if value is not None:
            value = value.encode()
        elif "value_b64" in record:
            value = base64.b64decode(record["value_b64"], validate=True)
        yield record.get("partition"), record["key"].encode(), value


# --- the key -----------------------------------------------------------------------------------

class Rows:
    """Figures of a set of valid rows."""

    def __init__(self, contract):
        self.contract = contract
        self.rows = self.copies = 0
        self.event_types, self.days = collections.Counter(), collections.Counter()
        self.price, self.quantity = decimal.Decimal("0.00"), 0
        self.checksum = self.unique_checksum = 0
        self.seen = set()

    def add(self, row):
        """Whether the row is a copy of one that was added before."""
        self.rows += 1
        self.event_types[row[self.contract["event_type"]]] += 1
        time = row[self.contract["event_time"]]
        self.days[str((EPOCH + datetime.timedelta(microseconds=time)).date())] += 1
        self.price += row.get("price", 0)
        self.quantity += row.get("quantity", 0)
        if self.contract["event_id"] is None:
            return False
        event_id = row[self.contract["event_id"]]
        part = int.from_bytes(hashlib.sha256(event_id.encode()).digest()[:8], "big")
        self.checksum = (self.checksum + part) % 2**64
        if event_id in self.seen:
            self.copies += 1
            return True
        self.seen.add(event_id)
        self.unique_checksum = (self.unique_checksum + part) % 2**64
        return False

    def key(self):
        return {"rows": self.rows, "unique_rows": self.rows - self.copies,
                "event_types": dict(self.event_types), "days": dict(self.days),
                "price_sum": str(self.price), "quantity_sum": str(self.quantity),
                "event_id_checksum": f"{self.checksum:016x}",
                "unique_event_id_checksum": f"{self.unique_checksum:016x}"}


MINUTE, GAP, WINDOW, DAY = 60_000_000, 1_800_000_000, 300_000_000, 86_400_000_000
STEPS = ["product_view", "add_to_cart", "checkout_start", "purchase"]


def totals(lines, sums):
    """What the key says of a table: a line a row, and sums of some of its columns."""
    checksum = sum(int.from_bytes(hashlib.sha256(line.encode()).digest()[:8], "big")
                   for line in lines)
    return {"rows": len(lines), "sums": dict(sums), "checksum": f"{checksum % 2**64:016x}"}


def ranked(values, tenths):
    """The smallest value of rank >= tenths/10 of all; none of nothing."""
    return sorted(values)[-(-tenths * len(values) // 10) - 1] if values else None


def flag(value):
    return "1" if value else "0"


def dash(value):
    return "-" if value is None else value


class Gold:
    """The gold tables by sorting and recomputing; rows are (user, time, type, cents, quantity)."""

    def __init__(self, rows, watermark):
        self.rows = rows
        self.watermark = watermark
        by_user = collections.defaultdict(list)
        for row in rows:
            by_user[row[0]].append(row)
        self.sessions = []
        for own in by_user.values():
            own.sort(key=lambda row: row[1])  # stable: rows of one time keep the log's order
            cuts = [at for at in range(1, len(own)) if own[at][1] - own[at - 1][1] > GAP]
            for start, end in zip([0] + cuts, cuts + [len(own)]):
                self.sessions.append(own[start:end])

    def has_passed(self, time):
        return self.watermark is not None and self.watermark >= time

    def is_open(self, session):
        return not self.has_passed(session[-1][1] + GAP + 1)

    def key(self):
        return {"sessions": self.session_rows(), "session_stats": self.statistics(),
                "funnel": self.funnel(), "active_users": self.active_users(),
                "event_windows": self.windows()}

    def session_rows(self):
        lines, sums = [], {"events": 0, "order_cents": 0, "bounces": 0, "open": 0}
        for session in self.sessions:
            order = sum(cents * (quantity or 1) for _, _, kind, cents, quantity in session
                        if kind == "purchase" and cents is not None)
            bounce, still = len(session) == 1, self.is_open(session)
            lines.append(f"{session[0][0]},{session[0][1]},{session[-1][1]},{len(session)},"
                         f"{order},{flag(bounce)},{flag(still)}")
            for name, value in zip(sums, (len(session), order, bounce, still)):
                sums[name] += value
        return totals(lines, sums)

    def statistics(self):
        days = collections.defaultdict(list)
        for session in self.sessions:
            if not self.is_open(session):
                days[session[-1][1] // DAY * DAY].append(session)
        lines, sums = [], collections.Counter()
        for start, members in days.items():
            if not self.has_passed(start + DAY + GAP):
                continue
            spans = [one[-1][1] - one[0][1] for one in members]
            bounces = sum(len(one) == 1 for one in members)
            lines.append(f"{start},{len(members)},{ranked(spans, 5)},{ranked(spans, 9)},{bounces}")
            sums.update(sessions=len(members), bounces=bounces)
        return totals(lines, sums)

    def funnel(self):
        days = collections.defaultdict(list)
        for session in self.sessions:
            days[session[0][1] // DAY * DAY].append(session)
        lines, sums = [], collections.Counter()
        for start, members in days.items():
            final = self.has_passed(start + DAY + 1) and not any(map(self.is_open, members))
            reached = [[] for _ in STEPS]
            for session in members:
                times = []
                for _, time, kind, _, _ in session:
                    if len(times) < len(STEPS) and kind == STEPS[len(times)]:
                        times.append(time)
                for spans, time in zip(reached, times):
                    spans.append(time - times[0])
            for step, spans in enumerate(reached):
                lines.append(f"{start},{step + 1},{STEPS[step]},{len(spans)},"
                             f"{dash(ranked(spans, 5))},{flag(final)}")
                sums["sessions"] += len(spans)
        return totals(lines, sums)

    def active_users(self):
        short, long = collections.defaultdict(set), collections.defaultdict(set)
        for user, minute in {(row[0], row[1] // MINUTE) for row in self.rows}:
            for ahead in range(1, 31):
                long[minute + ahead].add(user)
                if ahead <= 5:
                    short[minute + ahead].add(user)
        lines, sums = [], collections.Counter()
        for minute, users in long.items():
            if self.has_passed(minute * MINUTE):
                lines.append(f"{minute * MINUTE},{len(short[minute])},{len(users)}")
                sums.update(users_5m=len(short[minute]), users_30m=len(users))
        return totals(lines, sums)

    def windows(self):
        groups = collections.defaultdict(list)
        for row in self.rows:
            groups[row[1] // WINDOW * WINDOW, row[2]].append(row)
        lines, sums = [], collections.Counter()
        for (start, kind), rows in groups.items():
            if not self.has_passed(start + WINDOW):
                continue
            prices = [row[3] for row in rows if row[3] is not None]
            lines.append(f"{start},{kind},{len(rows)},{len({row[0] for row in rows})},"
                         f"{dash(sum(prices) if prices else None)}")
            sums.update(count=len(rows), revenue_cents=sum(prices))
        return totals(lines, sums)


class EventTime:
    """Late by its own partition's newest event, a duplicate by its event id among the others."""

    def __init__(self, contract, delay_us, partitions):
        self.contract = contract
        self.delay_us = delay_us
        self.silver, self.late = Rows(contract), Rows(contract)
        self.partitions = [{"partition": number, "read": 0, "good": 0, "duplicate": 0, "late": 0,
                            "quarantined": 0, "tombstone": 0} for number in range(partitions)]
        self.newest = {}
        self.rows = []  # of silver, for gold

    def add(self, partition, outcome, row=None):
        if row is not None:
            outcome = self.judge(partition, row)
        self.partitions[partition]["read"] += 1
        self.partitions[partition][outcome] += 1

    def judge(self, partition, row):
        time = row[self.contract["event_time"]]
        newest = self.newest.get(partition, time)
        self.newest[partition] = max(time, newest)
        if time < newest - self.delay_us:
            self.late.add(row)
            return "late"
        if self.contract["event_id"] and row[self.contract["event_id"]] in self.silver.seen:
            return "duplicate"
        self.silver.add(row)
        if self.contract["event_id"]:
            price = row.get("price")
            self.rows.append((row["user_id"], time, row["event_type"],
                              None if price is None else int(price * 100), row.get("quantity")))
        return "good"

    def watermark(self):
        """Of the pipeline: the least of the partitions with records; none while one has none."""
        took_part = [part["partition"] for part in self.partitions if part["read"]]
        if not took_part or any(number not in self.newest for number in took_part):
            return None
        return min(self.newest[number] for number in took_part) - self.delay_us

    def key(self):
        key = {"delay_us": self.delay_us, "silver": self.silver.key(), "late": self.late.key(),
               "duplicate": sum(part["duplicate"] for part in self.partitions),
               "partitions": self.partitions}
        if self.contract["event_id"]:
            key["gold"] = Gold(self.rows, self.watermark()).key()
        return key


class Counter:
    """Adds up the figures over all records."""

    def __init__(self, contract, late_by_us, partitions, delay_us=None):
        self.contract = contract
        self.late_by_us = late_by_us
        self.valid = Rows(contract)
        self.event_time = None
        if delay_us is not None:
            self.event_time = EventTime(contract, delay_us, partitions)
        self.partitions = [{"partition": number, "read": 0, "good": 0, "quarantined": 0,
                            "tombstone": 0} for number in range(partitions)]
        self.records = self.late = self.tombstones = 0
        self.reasons = collections.Counter()
        self.newest = None

    def add(self, partition, key, value):
        self.records += 1
        if value is None:
            self.tombstones += 1
            self.count(partition, key, "tombstone")
            return
        try:
            row = read_row(value, self.contract)
        except Rejected as rejected:
            self.reasons[rejected.args[0]] += 1
            self.count(partition, key, "quarantined")
            return
        if not self.valid.add(row):
            self.note_time(row[self.contract["event_time"]])
        self.count(partition, key, "good", row)

    def count(self, partition, key, outcome, row=None):
        if not self.partitions or key is None:
            return
        expected = (murmur2(key) & 0x7fffffff) % len(self.partitions)
        if partition is not None and partition != expected:
            sys.exit(f"check_key: {key} is in partition {partition}, not in {expected}")
        self.partitions[expected]["read"] += 1
        self.partitions[expected][outcome] += 1
        if self.event_time:
            self.event_time.add(expected, outcome, row)

    def note_time(self, time):
        """Late events are behind the newest by nearly late_by, others by seconds: half tells."""
        if self.newest is not None and time < self.newest - self.late_by_us / 2:
            self.late += 1
        self.newest = time if self.newest is None else max(self.newest, time)

    def key(self):
        found = {
            "records": self.records,
            "planted": {"late": self.late, "duplicate": self.valid.copies,
                        "bad": sum(self.reasons.values()), "tombstone": self.tombstones},
            "tables": {
                "valid": self.valid.key(),
                "quarantine": {"rows": sum(self.reasons.values()), "reasons": dict(self.reasons)}},
            "partitions": self.partitions,
        }
        if self.event_time:
            found["event_time"] = self.event_time.key()
        return found


def differences(expected, found, path=""):
    """Lines for each figure of `found` that `expected` has differently, and for missing ones."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [line for name in sorted(set(expected) | set(found))
                for line in differences(expected.get(name), found.get(name), f"{path}.{name}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [line for at, pair in enumerate(zip(expected, found))
                for line in differences(*pair, f"{path}[{at}]")]
    return [] if expected == found else [f"{path[1:]}: the key says {expected}, not {found}"]


def main():
    options = argparse.ArgumentParser(description="checks an answer key against its events")
    options.add_argument("--key", required=True)
    options.add_argument("--envelope", action="store_true")
    options.add_argument("events")
    chosen = options.parse_args()
    with open(chosen.key, encoding="utf-8") as file:
        key = json.load(file)
    corpus, partitions = key.pop("corpus"), key["partitions"]
    if key.pop("format") != "weir-answer-key/1":
        sys.exit("check_key: not an answer key of version 1")
    if sum(key["planted"].pop("flaws").values()) != key["planted"]["bad"]:
        sys.exit("check_key: the flaws do not add up to the bad records")
    counter = Counter(CONTRACTS[corpus["shape"]], corpus["late_by_us"],
                      len(partitions) if chosen.envelope else 0,
                      key.get("event_time", {}).get("delay_us") if chosen.envelope else None)
    with open(chosen.events, "rb") as file:
        for record in (enveloped_records if chosen.envelope else plain_records)(file):
            counter.add(*record)
    found = counter.key()
    if not chosen.envelope:
        del key["partitions"], found["partitions"]
        key.pop("event_time", None)
    if counter.contract["event_id"] is None:  # copies cannot be told from equal events
        for figures in (key, found):
            del figures["planted"]["duplicate"], figures["tables"]["valid"]["unique_rows"]
    lines = differences(key, found)
    for line in lines:
        print(line)
    if lines:
        return 1
    print(f"check_key: {counter.records} records, {counter.valid.rows} valid rows: "
          "all figures are equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
