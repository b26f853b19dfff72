"""Check 5: read = good + duplicate + late + quarantined + tombstone, per partition, at every epoch;
and each epoch's figures are those of the records between its offsets."""

import collections
import json

import answers
from medallion import Corpus, EpochWatch, Job

PARTS = ("good", "duplicate", "late", "quarantined", "tombstone")


def test_check_5_every_epoch_balances(tmp_path):
    corpus = Corpus(40_000)
    job = Job(tmp_path, max_rows=400)
    job.receive(corpus)
    with EpochWatch(job) as watch:
        job.run("--once", timeout=600)
    known = answers.Answers(corpus.write(tmp_path / "lines"))
    records = [watch.records[number] for number in sorted(watch.records)]
    assert [record["epoch"] for record in records] == list(range(1, len(records) + 1))
    assert len(records) > 64, "too few epochs: older ones must have been collected"
    totals = collections.defaultdict(collections.Counter)
    next_offset = collections.Counter()
    checked = 0
    for record in records:
        for name, moved in record["partitions"].items():
            counts, total = moved["counts"], moved["end"]["total"]
            start, end = moved["from"], moved["end"]["next_offset"]
            at = f"epoch {record['epoch']}, partition {name}"
            assert counts["read"] == sum(counts[part] for part in PARTS), at
            assert total["read"] == sum(total[part] for part in PARTS), at
            assert start == next_offset[name] and end - start == counts["read"], at
            outcomes = collections.Counter(known.outcomes[int(name)][start:end])
            assert all(outcomes[part] == counts[part] for part in PARTS), (at, outcomes, counts)
            totals[name].update(counts)
            assert all(totals[name][part] == total[part] for part in (*PARTS, "read")), at
            next_offset[name] = end
            checked += 1
    ledger = job.verify()["ledger"]
    assert json.loads(job.weir("status --format json").stdout)["ledger"] == ledger
    print(f"\ncheck 5: {len(records)} epochs, {checked} ledgers of partitions, all balanced")
    for name in sorted(totals):
        print(
            f"  partition {name}: {totals[name]['read']} read = "
            + " + ".join(f"{totals[name][part]} {part}" for part in PARTS)
        )
    assert ledger["read"] == 40_000
    assert all(
        ledger[part] == sum(one[part] for one in totals.values()) for part in (*PARTS, "read")
    )
