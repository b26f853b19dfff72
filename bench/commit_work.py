"""The work of a commit alone, in each format, over thousands of them in a row: load, encode, write,
sync, swap. What the syncs take with nothing around them is measured in between: on a disk that is
busy, or slow, no commit can be quicker."""

import os
import re

import lab
import measure

FORMATS = ("iceberg", "delta")
PROGRAM = os.path.join(os.path.dirname(os.path.realpath(lab.WEIR)), "bench", "commit_bench")
LINE = re.compile(r"^  (.{10}) +p50 +([\d.]+) ms +p99 +([\d.]+) ms", re.MULTILINE)


def parts(output):
    """Of the first, the middle and the last tenth: name -> (median, 99th percentile). Of names that
    are there twice the first one, which is the commit's."""
    found = []
    for text in output.split("commits from")[1:]:
        figures = {}
        for name, p50, p99 in LINE.findall(text):
            figures.setdefault(name.strip(), (float(p50), float(p99)))
        found.append(figures)
    return found


def run(_broker, options):
    summary, lines = {}, {}
    for name in FORMATS:
        lab.say(f"commit_work: {options.epochs} commits of {name}")
        folder = lab.fresh("commit_work", name)
        output = measure.run([PROGRAM, name, options.epochs, folder],
                             os.path.join(folder, "log"), timeout_s=3600).output
        # The first tenth is no measure: until the first snapshots expire, metadata has to grow.
        _, middle, last = lines[name] = parts(output)
        summary |= {f"{name}_p50_ms": last["commit"][0], f"{name}_p99_ms": last["commit"][1],
                    f"{name}_disk_p99_ms": last["the disk"][1],
                    f"{name}_cpu_p99_ms": last["its CPU"][1],
                    f"{name}_cpu_ratio": round(last["its CPU"][0] / middle["its CPU"][0], 2)}
    return {"load": lab.load(), "parts": lines, "summary": summary}
