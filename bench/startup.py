"""How soon the program says something: from its start to its first line, with a real pipeline."""

import os
import statistics
import time

import lab
import measure

RUNS = 15
TOPIC = "startup"


def first_line_ms(pipeline, log):
    begin = time.monotonic()
    program = measure.Watched(pipeline.command(), log, cwd=pipeline.folder)
    try:
        measure.until(lambda: os.path.getsize(log) > 0, 30, "first line", every_s=0.0005)
        return (time.monotonic() - begin) * 1000
    finally:
        program.stop()


def run(broker, _):
    lab.say(f"startup: {RUNS} starts")
    broker.create(TOPIC, 1)
    folder = lab.fresh("startup")
    pipeline = lab.Pipeline(folder, broker.address, TOPIC, "{every: 1s}")
    times = [first_line_ms(pipeline, os.path.join(folder, f"run-{attempt}.log"))
             for attempt in range(RUNS)]
    return {"runs_ms": [round(value, 1) for value in times],
            "summary": {"first_line_ms": round(statistics.median(times), 1)}}
