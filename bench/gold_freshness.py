"""From an event to its row in gold, at steady rates: the medallion job with epochs of a second. An
event's row is there when the commit of gold.sessions is visible that has the epoch of the event's
silver row. Also the highest of some rates at which the 95th percentile is at most twice that at
1,000 events a second."""

import json
import os
import subprocess
import time

import event_time
import lab
import measure

RATES = [1_000, 5_000, 20_000, 50_000, 100_000, 200_000]
RATE = 5_000
WARM_UP_S = 5
DRAIN_S = 4


def metadata(folder, namespace, name):
    return lab.current_metadata(os.path.join(folder, "lake", "catalog.db"), namespace, name)


def ages(broker, topic, folder, from_ms):
    """Percentiles of what was produced from a time on."""
    times = os.path.join(folder, "produced.csv")
    with open(times, "wb") as file:
        subprocess.run(["kcat", "-C", "-b", broker.address, "-t", topic, "-e", "-q", "-o",
                        "beginning", "-f", "%p,%o,%T\n"], check=True, stdout=file)
    done = subprocess.run([lab.READER, os.path.join(lab.ROOT, "bench", "row_ages.py"),
                           metadata(folder, "silver", "events"), times, str(from_ms),
                           metadata(folder, "gold", "sessions")], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def at_rate(broker, rate, options):
    """Ages at this rate, or None where the generator or the job cannot keep it."""
    lab.say(f"gold freshness: {rate} events a second for {options.gold_seconds} s")
    topic, folder = f"fresh-{rate}", lab.fresh(f"gold-freshness-{rate}")
    broker.create(topic, event_time.PARTITIONS)
    pipeline, env = event_time.pipeline_in(folder, event_time.example("medallion"), broker, topic)
    with open(pipeline, encoding="utf-8") as file:
        text = file.read()
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(text.replace("every: 5s", "every: 1s"))
    program = measure.Watched([lab.WEIR, "run", "-c", pipeline], os.path.join(folder, "run.log"),
                              cwd=folder, env=env)
    producer = measure.Watched([lab.WEIR, "generate", "--seed", options.seed, "--rate", rate,
                                "-c", pipeline], os.path.join(folder, "generate.log"), env=env)
    try:
        time.sleep(WARM_UP_S)
        from_ms = time.time() * 1000
        time.sleep(options.gold_seconds)
    finally:
        producer.stop()
        time.sleep(DRAIN_S)
        program.stop(timeout_s=120)
    found = ages(broker, topic, folder, from_ms)
    if not found["rows"] or found["rows"] < 0.9 * rate * options.gold_seconds:
        lab.say(f"gold freshness: {rate} a second was not kept up: {found['rows']} rows")
        return None
    return found


def run(broker, options):
    lines, most = [], 0
    for rate in RATES:
        found = at_rate(broker, rate, options)
        if found is None:
            break
        lines.append({"rate": rate, **found, "load": lab.load()})
        if found["p95_s"] > 2 * lines[0]["p95_s"]:
            break
        most = rate
    of = {line["rate"]: line for line in lines}
    if RATE not in of:
        raise measure.Failed(f"gold freshness: {RATE} events a second were not kept up")
    return {"lines": lines,
            "summary": {"p50_s": of[RATE]["p50_s"], "p95_s": of[RATE]["p95_s"],
                        "p95_s_at_1000": lines[0]["p95_s"],
                        "highest_rate_at_twice_that": most}}
