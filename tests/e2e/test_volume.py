"""What breaks only in quantity, or at the edges of a number: sums of money, many days at once,
floods of bad records, record times in the wrong unit."""
import json
import os
import random
import re
import time

import pyarrow.compute

from job import GOOD, Job, catalog

# Unless told, the address sanitizer keeps 256 MiB of freed memory, which would be measured too.
MEASURED = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=32"}


def scan(job, table):
    return catalog(job.folder).load_table(table).scan()


def produce(job, lines):
    done = job.weir("produce", stdin="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr


def peak_mib(pid):
    """VmHWM, since what wait4 tells counts this process from before the exec, too."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return next((int(line.split()[1]) / 1024 for line in status if "VmHWM" in line), 0)
    except (OSError, StopIteration):
        return 0


def run_measured(job):
    """Drains the log; exit code, messages and peak memory in MiB."""
    process = job.start("--once", env=MEASURED)
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_mib(process.pid))
        time.sleep(0.02)
    return process.returncode, job.log(), peak


def test_a_million_prices_add_up_to_the_cent(tmp_path):
    job = Job(tmp_path)
    dice = random.Random(1)
    head, tail = json.dumps(dict(GOOD, price=0)).split('"price": 0')
    cents = [dice.randrange(0, 100_000) for _ in range(1_000_000)]
    spellings = ('{0}.{1:02}', '"{0}.{1:02}"', '{2}e-2')
    lines = (f'{head}"price": {spellings[c % 3].format(c // 100, c % 100, c)}{tail}' for c in cents)
    produce(job, lines)
    assert run_measured(job)[0] == 0
    prices = scan(job, "shop.events").to_arrow().column("price")
    assert prices.null_count == 0 and len(prices) == len(cents)
    assert int(pyarrow.compute.sum(prices).as_py() * 100) == sum(cents)


def test_hundreds_of_days_at_once_stay_in_bounds(tmp_path):
    job = Job(tmp_path)
    dice = random.Random(2)
    days = 1_000
    head, tail = json.dumps(dict(GOOD, event_time="@")).split('"@"')
    lines = []
    for _ in range(200_000):
        day = dice.randrange(days)
        lines.append(f'{head}"{2000 + day // 336}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}'
                     f'T12:00:00Z"{tail}')
    produce(job, lines)
    code, log, mib = run_measured(job)
    assert code == 0, log
    assert mib < 512, f"{mib:.0f} MiB"
    found = scan(job, "shop.events").to_arrow().column("event_time")
    assert len(found) == len(lines)
    assert len({time.as_py().date() for time in found}) == days


def test_a_flood_of_bad_records_leaves_a_short_log(tmp_path):
    job = Job(tmp_path)
    bad = ['{"event_id": "\\u001b[31mred", "password": "hunter2",', "no json \x1b[2J at all",
           json.dumps(dict(GOOD, event_type="a\nb"))]
    lines = [bad[i % len(bad)] for i in range(200_000)]
    lines += ["x" * 1_000_000 for _ in range(20)]
    produce(job, lines)
    code, log, _ = run_measured(job)
    assert code == 0, log[-2000:]
    assert len(log) < 100_000, f"{len(log)} bytes of log"
    assert "hunter2" not in log
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", log), "control characters in the log"
    assert scan(job, "shop.quarantine").to_arrow().num_rows == len(lines)


def test_record_times_in_the_wrong_unit_are_data(tmp_path):
    job = Job(tmp_path)
    job.pipeline.write_text(job.pipeline.read_text().replace(
        "tables:\n", "tables:\n  shop.bronze: {from: source}\n"))
    times = [1_788_256_800_000, 1_788_256_800_000_000, 2**63 - 1, 0]
    lines = [json.dumps({"partition": 0, "value": json.dumps(GOOD), "timestamp": time})
             for time in times]
    done = job.weir("produce", "--envelope", stdin="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    code, log, _ = run_measured(job)
    assert code == 0, log
    assert job.rows() == len(times)
    # Read with pyarrow's numbers: the year 58 000 is no time that Python has.
    rows = scan(job, "shop.bronze").to_arrow().sort_by("offset")
    assert rows.column("timestamp_ms").to_pylist() == times
    converted = rows.column("timestamp").cast("int64").to_pylist()
    assert converted == [times[0] * 1000, times[1] * 1000, None, 0]
