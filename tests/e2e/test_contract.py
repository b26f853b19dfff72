"""`weir contract`: differences, forms, drift and promotion, as people use them."""
import json
import subprocess

from job import GOOD, ROOT, Job, weir

RETAIL = ROOT / "examples" / "retail" / "retail_event.yaml"


def test_diff_tells_compatible_from_breaking_by_its_exit_code(tmp_path):
    new = tmp_path / "new.yaml"
    new.write_text(RETAIL.read_text().replace("fields:\n", "fields:\n  coupon: string\n", 1))
    done = weir("contract", "diff", RETAIL, new, "--format", "json")
    assert done.returncode == 0, done.stderr
    (change,) = json.loads(done.stdout)
    assert (change["verdict"], change["field"]) == ("compatible", "coupon")
    done = weir("contract", "diff", new, RETAIL)
    assert done.returncode == 1 and "breaking" in done.stdout
    assert weir("contract", "diff", RETAIL, tmp_path / "none.yaml").returncode == 78


def test_a_contract_goes_to_json_schema_and_back(tmp_path):
    schema = tmp_path / "event.schema.json"
    schema.write_text(weir("contract", "export", RETAIL).stdout)
    back = tmp_path / "back.yaml"
    back.write_text(weir("contract", "import", schema).stdout)
    done = weir("contract", "diff", RETAIL, back)
    assert done.returncode == 0 and "equal" in done.stderr, done.stdout + done.stderr


def test_drift_is_told_by_producer_and_an_unknown_field_is_promoted(tmp_path):
    job = Job(tmp_path)
    contract = tmp_path / "event.yaml"
    contract.write_text(RETAIL.read_text())
    job.pipeline.write_text(job.pipeline.read_text().replace(str(RETAIL), "event.yaml"))
    events = [dict(GOOD, coupon=f"c-{n}", seen_at=1764500000 + n) for n in range(3)]
    events += [dict(GOOD, coupon=n, seen_at=(1764500000 + n) * 1000) for n in range(2)]
    senders = ["web", "web", "web", "app", "app"]
    lines = "".join(
        json.dumps({"partition": 0, "value": json.dumps(event),
                    "headers": [{"name": "producer", "value": sender}]}) + "\n"
        for event, sender in zip(events, senders))
    done = job.weir("produce --envelope", stdin=lines)
    assert done.returncode == 0, done.stderr
    done = job.weir("contract drift --format json")
    assert done.returncode == 0, done.stderr
    found = {(row["field"], row["producer"]): row for row in json.loads(done.stdout)}
    assert found["coupon", "web"]["values"] == "text" and found["coupon", "web"]["count"] == 3
    assert found["coupon", "app"]["first_seen"] == "0:3"
    assert found["coupon", "app"]["verdict"] == "unknown, drift"
    assert found["seen_at", "web"]["values"] == "integer (seconds)"
    assert found["seen_at", "app"]["verdict"] == "unknown, drift"
    assert ("quantity", "web") not in found

    done = job.weir("contract promote seen_at")
    assert done.returncode == 0, done.stderr
    subprocess.run(["patch", "-p0", "--quiet"], input=done.stdout, text=True, check=True, cwd="/")
    assert "  seen_at: long\n" in contract.read_text()
    assert weir("contract", "diff", RETAIL, contract).returncode == 0
    refused = job.weir("contract promote coupon")
    assert refused.returncode != 0 and "coupon" in refused.stderr, refused.stderr
