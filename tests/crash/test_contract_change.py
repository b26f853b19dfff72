"""Kills the process at every step around a change of the contract, restarts it, and compares.

Half of the records are read by the old contract, half by the new one, which has a field more and,
where the format of the tables can follow, a wider type. Whatever point the process dies at, the
tables are those of an undisturbed run. WEIR_POINTS names the points instead of all.
"""

import json
import os
import subprocess

import pytest

import rig

# Steps of the start that takes the new contract up, and of the epochs that follow.
POINTS = [
    "evolve.before:1",
    "evolve.after:1",
    "seal.before:1",
    "takeover.applied:1",
    "claim.before:1",
    "claim.after:1",
    "contract.recorded:1",
    "record.before:1",
    "record.after:1",
    "apply.before:2",
    "apply.swap.after:3",
    "apply.after:2",
]
OF_A_PAIR = ["evolve.between_sides:1", "apply.between_tables:1"]
POINTS = os.environ.get("WEIR_POINTS", "").split() or (
    POINTS + OF_A_PAIR if rig.FORMAT == "both" else POINTS
)
OLD = (rig.ROOT / "examples" / "retail" / "retail_event.yaml").read_text()
GROWN = OLD.replace("version: 1", "version: 2").replace(
    "  price: ", "  coupon: string\n  price: "
)
WIDENED = GROWN.replace("quantity:       {type: int,", "quantity:       {type: long,")
CAN_WIDEN = rig.FORMAT == "iceberg"
NEW = WIDENED if CAN_WIDEN else GROWN
MUCH = 2**40 if CAN_WIDEN else 1000


def event(number, **more):
    return json.dumps(
        {
            "event_id": f"e-{number}",
            "event_time": f"2025-06-02T10:{number // 60 % 60:02}:{number % 60:02}Z",
            "user_id": f"u-{number % 7}",
            "session_id": f"s-{number % 7}",
            "event_type": "page_view",
            "page_url": "https://shop.example/",
            "device_type": "mobile",
            "browser": "Firefox",
            "traffic_source": "organic",
            **more,
        }
    )


BEFORE = [event(n, quantity=n + 1) for n in range(200)]
AFTER = [event(n, quantity=MUCH + n, coupon=f"c-{n}") for n in range(200, 400)]


class Job(rig.Rig):
    """A rig whose contract is a file of its own, with the old half of the records applied."""

    def __init__(self, folder):
        super().__init__(folder, max_rows=40, source="{spool: ./log, topic: clicks}")
        text = self.pipeline.read_text()
        contract = rig.ROOT / "examples" / "retail" / "retail_event.yaml"
        self.pipeline.write_text(text.replace(str(contract), "contract.yaml"))
        (self.folder / "contract.yaml").write_text(OLD)
        self.produce(BEFORE)

    def produce(self, lines):
        # The times of the records stand in bronze, so they are the same in each job.
        records = [
            {"partition": i % 7 % 2, "timestamp": 1764500000000 + i, "value": line}
            for i, line in enumerate(lines)
        ]
        subprocess.run(
            [rig.WEIR, "produce", "-c", self.pipeline, "--partitions", "2", "--envelope"],
            input="".join(json.dumps(record) + "\n" for record in records),
            text=True,
            check=True,
            capture_output=True,
        )

    def change(self):
        self.produce(AFTER)
        (self.folder / "contract.yaml").write_text(NEW)

    def rows(self):
        columns = ("event_id", "quantity", "coupon")
        sides = [
            sorted(zip(*(table.column(name).to_pylist() for name in columns)))
            for table in self.lake.sides("shop.events").values()
        ]
        assert sides[0] == sides[-1]
        return sides[0]

    def contracts(self):
        return [json.loads(text) for _, text in sorted(self.lake.read_state("contracts").items())]


def expected():
    rows = [(f"e-{n}", n + 1, None) for n in range(200)]
    return sorted(rows + [(f"e-{n}", MUCH + n, f"c-{n}") for n in range(200, 400)])


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    job = Job(tmp_path_factory.mktemp("calm") / "job")
    assert job.run("--once") == 0, job.log()
    job.change()
    assert job.run("--once") == 0, job.log()
    return job.contents()


def test_the_new_field_is_there_and_null_before(tmp_path):
    job = Job(tmp_path / "job")
    assert job.run("--once") == 0, job.log()
    job.change()
    assert job.run("--once") == 0, job.log()
    assert job.rows() == expected()
    contracts = job.contracts()
    assert [entry["number"] for entry in contracts] == [1, 2]
    assert sum(contracts[1]["from"].values()) == len(BEFORE)
    assert job.verify().returncode == 0
    if rig.FORMAT == "delta":  # whose columns have no numbers
        return
    schema = job.lake.pyiceberg().load_table("shop.events").schema()
    ids = [field.field_id for field in schema.fields]
    assert len(set(ids)) == len(ids) and schema.find_field("coupon").field_id == max(ids)


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_around_the_change_changes_nothing(undisturbed, tmp_path, point):
    job = Job(tmp_path / "job")
    assert rig.killed(job.run("--once", point="record.after:3")), job.log()
    # The old half is decided or applied by the old contract first, so that the border is the same.
    assert job.run("--once") == 0, job.log()
    job.change()
    assert rig.killed(job.run("--once", point=point)), f"{point} was never reached\n{job.log()}"
    assert job.run("--once") == 0, job.log()
    assert job.rows() == expected()
    assert job.contents() == undisturbed
    proof = job.verify()
    assert proof.returncode == 0, proof.stdout + proof.stderr


def test_records_that_were_decided_before_the_change_are_applied_behind_it(undisturbed, tmp_path):
    job = Job(tmp_path / "job")
    assert rig.killed(job.run("--once", point="record.after:4")), job.log()
    job.change()
    assert job.run("--once") == 0, job.log()
    # Only where the border lies differs: old events have no coupon by either contract.
    assert job.rows() == expected()
    assert job.verify().returncode == 0


if rig.FORMAT == "both":

    def test_sides_that_a_kill_left_apart_go_on_by_the_old_contract_too(tmp_path):
        job = Job(tmp_path / "job")
        assert job.run("--once") == 0, job.log()
        job.change()
        assert rig.killed(job.run("--once", point="evolve.between_sides:1")), job.log()
        (job.folder / "contract.yaml").write_text(OLD)
        proof = job.verify()
        assert proof.returncode != 0 and "column coupon is in one format only" in proof.stdout
        assert job.run("--once") == 0, job.log()
        sides = job.lake.sides("shop.events")
        assert {table.num_rows for table in sides.values()} == {400}
        (job.folder / "contract.yaml").write_text(NEW)
        assert job.run("--once") == 0, job.log()
        assert job.verify().returncode == 0


if not CAN_WIDEN:

    def test_a_wider_type_is_refused_by_name_before_anything_is_changed(tmp_path):
        job = Job(tmp_path / "job")
        assert job.run("--once") == 0, job.log()
        (job.folder / "contract.yaml").write_text(WIDENED)
        assert job.run("--once") == 78, job.log()
        assert "WEIR0403" in job.log() and "`quantity` cannot become long" in job.log()
        for table in job.lake.sides("shop.events").values():
            assert "coupon" not in table.column_names
        (job.folder / "contract.yaml").write_text(OLD)
        assert job.run("--once") == 0, job.log()


def test_what_is_not_compatible_with_the_table_is_refused_at_a_start(tmp_path):
    job = Job(tmp_path / "job")
    assert job.run("--once") == 0, job.log()
    wrong = OLD.replace("  browser:        {type: string,", "  browser:        {type: uuid,")
    wrong = wrong.replace("{type: uuid, required: true, not_blank: true}", "{type: uuid}")
    (job.folder / "contract.yaml").write_text(wrong)
    assert job.run("--once") == 78, job.log()
    assert "WEIR0402" in job.log() and "browser" in job.log()
