"""The retail job, drained: weir on one and on two cores, PySpark in two settings, DuckDB; each the
whole process, each table checked against the answer key of the corpus."""

import glob
import json
import os
import subprocess

import lab
import measure
import profile_stages

PARTITIONS = 4
TOPIC = "retail"
EPOCH = "{every: 1m}"  # as in the example


def record(engine, cores, usage, facts, events):
    """One line of the table."""
    return {"engine": engine, "cores": cores, "wall_s": round(usage.wall_s, 3),
            "cpu_s": round(usage.cpu_s, 3), "peak_mib": round(usage.peak_mib, 1),
            "events_per_s": round(events / usage.wall_s),
            "events_per_cpu_s": round(events / usage.cpu_s),
            "files": facts["files"], "bytes_per_row": round(facts["bytes"] / facts["rows"], 1),
            "load": lab.load()}


def drain_with_weir(broker, cores, key, attempt):
    folder = lab.fresh(f"weir-{cores}-{attempt}")
    pipeline = lab.Pipeline(folder, broker.address, TOPIC, EPOCH)
    usage = measure.run(pipeline.command("--once"), log=os.path.join(folder, "run.log"),
                        cores=cores, cwd=folder)
    facts = pipeline.facts()
    lab.expect_rows(f"weir on {cores} cores", facts, key)
    return record("weir", cores, usage, facts, key["records"])


def spark_submit():
    return glob.glob(f"{lab.SPARK}/lib/python3*/site-packages/pyspark/bin/spark-submit")


def check_spark():
    """What PySpark lacks, or nothing."""
    if not spark_submit():
        return f"no spark-submit in {lab.SPARK}"
    return next((f"no jars in {folder}" for folder in lab.SPARK_JARS
                 if not glob.glob(f"{folder}/*.jar")), None)


def check_duckdb():
    """What DuckDB lacks, or nothing."""
    asked = [lab.READER, "-c", "import duckdb"]
    if os.path.exists(lab.READER) and subprocess.run(asked, check=False).returncode == 0:
        return None
    return f"{lab.READER} has no duckdb"


def profile_weir(broker):
    """Where a drain spends its CPU time, by stage."""
    folder = lab.fresh("weir-profile")
    pipeline = lab.Pipeline(folder, broker.address, TOPIC, EPOCH)
    return profile_stages.run(pipeline.command("--once"), folder)


def spark_command(script, cores, *options):
    submit = spark_submit()
    wanted = ("iceberg-spark-runtime", "spark-sql-kafka", "spark-token-provider", "kafka-clients",
              "commons-pool2")
    jars = [jar for folder in lab.SPARK_JARS for jar in sorted(glob.glob(f"{folder}/*.jar"))
            if os.path.basename(jar).startswith(wanted)]
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": 4,
                "spark.sql.catalogImplementation": "in-memory",
                "spark.sql.extensions":
                    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"}
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    return [submit[0], "--master", f"local[{cores}]", "--driver-memory", "4g",
            "--jars", ",".join(jars), *words, script, *options]


def drain_with_spark(broker, cores, key, distribution):
    name = f"pyspark-{distribution or 'default'}"
    folder = lab.fresh(name)
    script = os.path.join(lab.ROOT, "bench", "peers", "spark_retail.py")
    options = ["--brokers", broker.address, "--topic", TOPIC, "--dir", folder]
    if distribution:
        options += ["--distribution", distribution]
    python = os.path.join(lab.SPARK, "bin", "python")
    usage = measure.run(spark_command(script, cores, *options),
                        log=os.path.join(folder, "run.log"), cores=cores, cwd=folder,
                        env={"PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python,
                             "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": folder})
    said = json.loads(usage.output.strip().splitlines()[-1])
    table = os.path.join(folder, "lake", "retail", "clickstream_events", "metadata")
    with open(os.path.join(table, "version-hint.text"), encoding="ascii") as file:
        facts = lab.table_facts(os.path.join(table, f"v{file.read().strip()}.metadata.json"))
    lab.expect_rows(name, facts, key)
    line = record(name, cores, usage, facts, key["records"])
    return {**line, "version": said["engine"], "streaming_s": said["streaming_s"]}


def load_with_duckdb(events, cores, key, attempt):
    folder = lab.fresh(f"duckdb-{attempt}")
    target = os.path.join(folder, "rows.parquet")
    script = os.path.join(lab.ROOT, "bench", "peers", "duckdb_retail.py")
    usage = measure.run([lab.READER, script, "--input", events, "--output", target, "--threads",
                         cores], log=os.path.join(folder, "run.log"), cores=cores, cwd=folder)
    facts = lab.table_facts(target)
    lab.expect_rows("DuckDB", facts, key)
    line = record("duckdb", cores, usage, facts, key["records"])
    return {**line, "version": json.loads(usage.output)["engine"]}


def middle(lines):
    """The run with the median of events per CPU second, with the spread of all."""
    lines = sorted(lines, key=lambda line: line["events_per_cpu_s"])
    rates = [line["events_per_cpu_s"] for line in lines]
    return {**lines[len(lines) // 2], "runs": len(lines),
            "events_per_cpu_s_of_runs": [rates[0], rates[-1]]}


def summary(lines):
    """The figures that targets are set for; ratios on two cores unless said, all in this run."""
    def of(engine, cores=2):
        return next((line for line in lines if line["engine"] == engine and line["cores"] == cores),
                    None)
    weir = of("weir")
    figures = {"events_per_cpu_s": weir["events_per_cpu_s"], "events_per_s": weir["events_per_s"],
               "events_per_cpu_s_one_core": of("weir", 1)["events_per_cpu_s"],
               "events_per_s_one_core": of("weir", 1)["events_per_s"],
               "rss_mib": max(line["peak_mib"] for line in lines if line["engine"] == "weir"),
               "bytes_per_row": weir["bytes_per_row"], "files": weir["files"]}
    for name, engine in (("spark", "pyspark-default"), ("spark_none", "pyspark-none"),
                         ("duckdb", "duckdb")):
        peer = of(engine)
        if peer:
            ratio = weir["events_per_cpu_s"] / peer["events_per_cpu_s"]
            figures[f"ratio_to_{name}_per_cpu_s"] = round(ratio, 2)
            figures[f"{name}_events_per_cpu_s"] = peer["events_per_cpu_s"]
    alone = of("duckdb", 1)
    if alone:
        ratio = of("weir", 1)["events_per_cpu_s"] / alone["events_per_cpu_s"]
        figures["ratio_to_duckdb_per_cpu_s_one_core"] = round(ratio, 2)
    return figures


def run(broker, options):
    folder = os.path.join(lab.BUILD, "bench", "corpus")
    os.makedirs(folder, exist_ok=True)
    lab.say(f"retail: filling a topic of {PARTITIONS} partitions with {options.events} events")
    broker.create(TOPIC, PARTITIONS)
    key = lab.corpus(folder, options.events, options.seed, "--brokers", broker.address, "--topic",
                     TOPIC)
    lines = []
    for cores in (1, 2):
        lab.say(f"retail: weir on {cores} core(s), {options.repeat} times")
        lines.append(middle([drain_with_weir(broker, cores, key, attempt)
                             for attempt in range(options.repeat)]))
    if "duckdb" in options.peers:
        events = os.path.join(folder, "events.ndjson")
        for cores in (1, 2):
            lab.say(f"retail: DuckDB on {cores} core(s), {options.repeat} times")
            lines.append(middle([load_with_duckdb(events, cores, key, attempt)
                                 for attempt in range(options.repeat)]))
    if "spark" in options.peers:
        for distribution in (None, "none"):
            lab.say(f"retail: PySpark, write.distribution-mode={distribution or 'default'}")
            lines.append(middle([drain_with_spark(broker, 2, key, distribution)]))
    lab.say("retail: where the time goes")
    stages = profile_weir(broker)
    event_bytes = os.path.getsize(os.path.join(folder, "events.ndjson")) / options.events
    return {"event_bytes": round(event_bytes, 1), "lines": lines, "stages": stages,
            "summary": summary(lines)}
