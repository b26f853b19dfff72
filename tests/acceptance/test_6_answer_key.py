"""Check 6: every table equals what the generator says it must hold, and what the records say."""

import subprocess
import sys

import pyarrow as pa
import pytest

import answers
from medallion import ROOT, Corpus, Job

COUNT = 100_000


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("key")
    corpus = Corpus(COUNT)
    job = Job(folder, max_rows=9_000)
    job.receive(corpus)
    corpus.write(folder / "lines", key=folder / "key.json")
    job.run("--once")
    return job


@pytest.fixture(scope="module")
def known(job):
    return answers.Answers(job.folder / "lines").register()


def test_check_6_the_key_of_the_generator(job):
    verdict = job.verify("--key", job.folder / "key.json")
    print(f"\ncheck 6: {verdict['ledger']}; answer key: {verdict['answer_key']}")
    assert verdict["answer_key"]["ok"]
    gold = {name.split(".")[1] for name in answers.TABLES if name.startswith("gold.")}
    assert set(verdict["answer_key"]["gold"]) == gold
    checker = ROOT / "tests" / "oracle" / "check_key.py"
    done = subprocess.run(
        [
            sys.executable,
            checker,
            "--key",
            job.folder / "key.json",
            "--envelope",
            job.folder / "lines",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout.strip())


def test_check_6_every_table_row_for_row(job, known):
    print(f"\ncheck 6: every row of every table, as computed from {COUNT} records:")
    answers.compare_all(known, job)
    assert set(job.table("gold.sessions").column("is_open").to_pylist()) == {True, False}
    assert set(job.table("gold.funnel").column("is_final").to_pylist()) == {True, False}
    assert job.table("gold.session_stats").num_rows > 0


@pytest.mark.parametrize("name", answers.TABLES)
def test_check_6_one_altered_row_is_found(job, known, name):
    arrow = job.table(name)
    column = next(
        c
        for c in ("lateness_ms", "sessions", "events", "users_5m", "users", "offset")
        if c in arrow.column_names
    )
    values = arrow.column(column).to_pylist()
    values[len(values) // 2] += 1
    place = arrow.column_names.index(column)
    altered = arrow.set_column(
        place, arrow.schema.field(column), pa.array(values, arrow.schema.field(column).type)
    )
    with pytest.raises(AssertionError, match="1 rows are missing"):
        answers.compare(known, name, altered)
