"""Check 8: a running pipeline takes an optional field of its contract up at an epoch border,
through a kill as well. What is not compatible is refused with what would do it, and the run goes
on."""

import json
import signal
import time

from deltalake.exceptions import TableNotFoundError
from medallion import Job
from pyiceberg.exceptions import NoSuchTableError
from sqlalchemy.exc import OperationalError

FIELD = "  coupon: string\n"
LOST = "killed on the way"


def event(number, **more):
    return {
        "event_id": f"e-{number}",
        "event_time": f"2025-06-02T10:{number // 60 % 60:02}:{number % 60:02}Z",
        "user_id": f"u-{number % 5}",
        "session_id": f"s-{number % 5}",
        "event_type": "page_view",
        "page_url": "https://shop.example/",
        "device_type": "mobile",
        "browser": "Firefox",
        "traffic_source": "organic",
        **more,
    }


def wait_for(what, condition, process, job):
    deadline = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, job.log()
        assert time.monotonic() < deadline, f"waited for {what}\n{job.log()}"
        time.sleep(0.2)


def silver(job):
    try:
        table = job.table("silver.events")
    except (NoSuchTableError, OperationalError, TableNotFoundError):  # not made yet
        return {}
    except AssertionError:  # one of two formats is an epoch ahead
        return {}
    ids = table.column("event_id").to_pylist()
    if "coupon" not in table.column_names:
        return dict.fromkeys(ids, "no column")
    return dict(zip(ids, table.column("coupon").to_pylist()))


def test_check_8_a_running_pipeline_follows_its_contract(tmp_path):
    job = Job(tmp_path, every="1s")
    contract = tmp_path / "shop_event.yaml"
    old = contract.read_text()

    def produce(numbers, **more):
        lines = [{"key": f"u-{n % 5}", "value": json.dumps(event(n, **more))} for n in numbers]
        job.produce("".join(json.dumps(line) + "\n" for line in lines))

    produce(range(0, 300))
    running = job.start()
    wait_for("the first events", lambda: len(silver(job)) == 300, running, job)
    assert set(silver(job).values()) == {"no column"}

    # What is not compatible: told with a plan, and the run goes on by the old contract.
    contract.write_text(old.replace("  referrer_url:   string\n", ""))
    running.send_signal(signal.SIGHUP)
    wait_for("the refusal", lambda: "new contract is refused" in job.log(), running, job)
    assert "referrer_url" in job.log() and "plan=" in job.log()
    produce(range(300, 400))
    wait_for("events behind the refusal", lambda: len(silver(job)) == 400, running, job)

    # The new field: noticed by the file alone, and events with it go on coming meanwhile.
    contract.write_text(old.replace("fields:\n", "fields:\n" + FIELD, 1))
    wait_for("the new contract", lambda: len(job.contracts()) == 2, running, job)
    produce(range(400, 600), coupon="SPRING")
    wait_for("events with the field", lambda: len(silver(job)) == 600, running, job)

    # Killed in mid-work and started again, it is as if nothing had been.
    produce(range(600, 700), coupon=LOST)
    running.send_signal(signal.SIGKILL)
    running.wait(timeout=60)
    running = job.start()
    wait_for("the events around the kill", lambda: len(silver(job)) == 700, running, job)
    job.stop(running)

    found = silver(job)
    coupons = {f"e-{n}": None for n in range(400)}
    coupons |= {f"e-{n}": "SPRING" for n in range(400, 600)}
    coupons |= {f"e-{n}": LOST for n in range(600, 700)}
    assert found == coupons
    assert "coupon" in job.table("late.events").column_names
    entry = job.contracts()[1]
    assert sum(entry["from"].values()) == 400
    assert job.verify()["ledger"]["good"] == 700
    print(f"\ncheck 8: 700 events, the field from offsets {entry['from']} on, null before")
