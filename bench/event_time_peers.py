"""The event-time jobs by others: PySpark's silver, windows and whole chain (bronze, silver from it,
gold; and the same with sessions as its only gold table), and silver in DuckDB. Each the whole
process; tables must have the rows of the ledger, and gold tables must stand for them."""

import json
import os

import lab
import measure
import retail

CORES = 2
TIMEOUT_S = 3600


def spark(broker, job, topic, folder, *options):
    """One job of peers/spark_medallion.py; usage, and the rows of its table."""
    script = os.path.join(lab.ROOT, "bench", "peers", "spark_medallion.py")
    python = os.path.join(lab.SPARK, "bin", "python")
    lab.say(f"event time: PySpark {job}")
    usage = measure.run(
        retail.spark_command(script, CORES, job, "--brokers", broker.address, "--topic", topic,
                             "--dir", folder, *options),
        log=os.path.join(folder, f"{job}.log"), cores=CORES, cwd=folder, timeout_s=TIMEOUT_S,
        env={"PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python,
             "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": folder})
    return usage, json.loads(usage.output.strip().splitlines()[-1])["rows"]


def line(job, engine, usages, events):
    cpu = sum(usage.cpu_s for usage in usages)
    wall = sum(usage.wall_s for usage in usages)
    return {"job": job, "engine": engine, "events": events, "wall_s": round(wall, 3),
            "cpu_s": round(cpu, 3), "peak_mib": round(max(use.peak_mib for use in usages), 1),
            "events_per_s": round(events / wall), "events_per_cpu_s": round(events / cpu),
            "load": lab.load()}


def expect(what, rows, expected, open_share=0):
    """Late rows are the watermark's affair, which differs: up to 2 % may be on one side alone. What
    is open at the end is in no table of PySpark's."""
    if not expected * (0.98 - open_share) <= rows <= expected * 1.02:
        raise measure.Failed(f"{what}: {rows} rows, {expected} are expected")


def run_spark(broker, ledger, events):
    valid = ledger["good"] + ledger["late"]
    folder = lab.fresh("event-time-spark-silver")
    usage, rows = spark(broker, "silver", "shop", folder)
    expect("PySpark silver", rows, valid)
    lines = [line("silver", "spark", [usage], events)]
    folder = lab.fresh("event-time-spark-chain")
    usages = {}
    batch = ["--batch-rows", max(events // 6, 1)]
    for job, options in (("bronze", []), ("silver", ["--from-bronze"]), ("sessions", []),
                         ("gold", [])):
        usages[job], rows = spark(broker, job, "shop", folder, *batch, *options)
        of_events = events if job == "bronze" else valid
        expect(f"PySpark {job}", rows, of_events, 2 / 5 if job in ("sessions", "gold") else 0)
    for name, gold in (("medallion", "gold"), ("medallion_sessions", "sessions")):
        chain = [usages[job] for job in ("bronze", "silver", gold)]
        lines.append(line(name, "spark", chain, events))
    usage, _ = spark(broker, "windows", "counts", lab.fresh("event-time-spark-windows"),
                     "--batch-rows", "2500000")
    return lines + [line("windows", "spark", [usage], events)]


def run_duckdb(options, ledger, faults):
    folder = lab.fresh("event-time-duckdb")
    source = os.path.join(folder, "events.ndjson")
    measure.run([lab.WEIR, "generate", "--shape", "retail", "--seed", options.seed, "--count",
                 options.events, "--out", source, "--faults", faults],
                log=os.path.join(folder, "generate.log"))
    script = os.path.join(lab.ROOT, "bench", "peers", "duckdb_silver.py")
    runs = []
    for _ in range(options.repeat):
        usage = measure.run([lab.READER, script, "--input", source, "--output",
                             os.path.join(folder, "rows.parquet"), "--threads", CORES],
                            log=os.path.join(folder, "run.log"), cores=CORES, cwd=folder)
        expect("DuckDB silver", json.loads(usage.output)["rows"], ledger["good"] + ledger["late"])
        runs.append(usage)
    middle = sorted(runs, key=lambda usage: usage.cpu_s)[len(runs) // 2]
    return [line("silver", "duckdb", [middle], options.events)]
