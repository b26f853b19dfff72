"""Check 2: 5 % duplicates: the rows of silver are the unique valid events that came in time."""

import answers
from medallion import Corpus, Job


def test_check_2_silver_holds_each_event_once(tmp_path):
    corpus = Corpus(60_000, faults="late=2%:20m,dup=5%,bad=0.5%")
    job = Job(tmp_path, max_rows=7_000)
    job.receive(corpus)
    job.run("--once")
    known = answers.Answers(corpus.write(tmp_path / "lines"))
    valid = [row["event_id"] for row in known.valid]
    late = {row["event_id"] for row in known.late}
    unique_on_time = set(row["event_id"] for row in known.silver)
    assert len(valid) - len(set(valid)) > 0.04 * len(valid), "too few copies to prove anything"
    assert set(valid) == unique_on_time | late
    silver = job.table("silver.events").column("event_id").to_pylist()
    print(
        f"\ncheck 2: {len(valid)} valid events with {len(valid) - len(set(valid))} copies; "
        f"{len(unique_on_time)} unique ones in time, {len(silver)} rows in silver.events"
    )
    assert len(silver) == len(unique_on_time)
    assert set(silver) == unique_on_time
