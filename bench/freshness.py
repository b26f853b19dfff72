"""How old a row is when it can be read: from its producer's timestamp in Kafka to the commit that
made it visible, at a steady rate, with epochs of a second. And what that costs."""

import json
import os
import subprocess
import time

import lab
import measure

TOPIC = "freshness"
WARM_UP_S = 10
DRAIN_S = 3  # for the last records, before the program is told to stop


def produced_at(broker, path):
    """partition, offset and milliseconds of every record, as CSV."""
    with open(path, "wb") as file:
        subprocess.run(["kcat", "-C", "-b", broker.address, "-t", TOPIC, "-e", "-q", "-o",
                        "beginning", "-f", "%p,%o,%T\n"], check=True, stdout=file)


def ages(pipeline, times, from_ms):
    """Percentiles of the ages, in seconds, of rows produced from a time on."""
    done = subprocess.run([lab.READER, os.path.join(lab.ROOT, "bench", "row_ages.py"),
                           pipeline.metadata(), times, str(from_ms)], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def run(broker, options):
    lab.say(f"freshness: {options.rate} events a second for {WARM_UP_S + options.seconds} s")
    broker.create(TOPIC, 4)
    folder = lab.fresh("freshness")
    pipeline = lab.Pipeline(folder, broker.address, TOPIC, "{every: 1s}", coordinates=True)
    producer = measure.Watched([lab.WEIR, "generate", "--seed", options.seed, "--rate",
                                options.rate, "-c", pipeline.file],
                               os.path.join(folder, "generate.log"))
    program = measure.Watched(pipeline.command(), os.path.join(folder, "run.log"), cwd=folder)
    try:
        time.sleep(WARM_UP_S)
        begin, begin_cpu, from_ms = time.monotonic(), program.cpu_s(), time.time() * 1000
        time.sleep(options.seconds)
        cores = (program.cpu_s() - begin_cpu) / (time.monotonic() - begin)
        peak_mib = program.peak_mib()
    finally:
        producer.stop()
        time.sleep(DRAIN_S)
        code = program.stop()
    if code != 0:
        raise measure.Failed(f"weir ended with {code}; see {program.log}")
    times = os.path.join(folder, "produced.csv")
    produced_at(broker, times)
    found = ages(pipeline, times, from_ms)
    if found["missing"]:
        raise measure.Failed(f"freshness: {found['missing']} records are in no file of the table")
    return {"rate": options.rate, "seconds": options.seconds, "rows": found["rows"],
            "summary": {"p50_s": found["p50_s"], "p99_s": found["p99_s"], "max_s": found["max_s"],
                        "cores": round(cores, 3), "rss_mib": round(peak_mib, 1)}}
