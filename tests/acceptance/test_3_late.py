"""Check 3: events 20 minutes late: all in late.events, none in silver, none lost."""

import json

import answers
from medallion import Corpus, Job


def test_check_3_late_events_are_kept_apart(tmp_path):
    corpus = Corpus(60_000, faults="late=5%:20m,dup=1%", mean_rate=5)  # copies come in time
    job = Job(tmp_path, max_rows=7_000)
    job.receive(corpus)
    job.run("--once")
    lines = corpus.write(tmp_path / "lines", key=tmp_path / "key.json")
    planted = json.loads((tmp_path / "key.json").read_text())["planted"]["late"]
    known = answers.Answers(lines)
    expected = {row["event_id"] for row in known.late}
    late = job.table("late.events").column("event_id").to_pylist()
    silver = set(job.table("silver.events").column("event_id").to_pylist())
    lateness = job.table("late.events").column("lateness_ms").to_pylist()
    print(
        f"\ncheck 3: {planted} events planted 20 minutes late; {len(late)} rows in late.events, "
        f"{min(lateness) / 1000:.0f} to {max(lateness) / 1000:.0f} s behind the watermark; "
        f"{len(set(late) & silver)} of them in silver.events"
    )
    assert planted == len(expected) == len(late) == len(set(late))
    assert set(late) == expected
    assert not set(late) & silver
    assert set(late) | silver == {row["event_id"] for row in known.valid}
