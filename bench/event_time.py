"""The event-time jobs, drained on two cores: silver alone (validate, dedupe, late), silver with all
gold tables, the whole medallion job with bronze, and windows over valid rows. `weir verify` must
prove each; what event time costs is said in shares of silver."""

import json
import os
import subprocess

import event_time_peers
import lab
import measure

PARTITIONS = 4
CORES = 2
FAULTS = "late=1%:20m,dup=5%,bad=0.1%"
SILVER = ["silver", "quarantine", "late"]
GOLD = SILVER + ["gold"]
MEDALLION = GOLD + ["bronze", "ops"]


def example(name):
    return os.path.join(lab.ROOT, "examples", name)


def keep_tables(text, namespaces):
    """The pipeline with the tables of these namespaces alone."""
    kept, inside = [], False
    for line in text.splitlines():
        if line.startswith("  ") and not line.startswith("   "):
            name = line.strip().split(":")[0]
            inside = "." in name and name.split(".")[0] not in namespaces
        elif line and not line.startswith(" "):
            inside = False
        if not inside:
            kept.append(line)
    return "\n".join(kept) + "\n"


def pipeline_in(folder, folder_of_example, broker, topic, namespaces=None):
    """The pipeline of an example, in this folder, with these tables; and its environment."""
    with open(os.path.join(folder_of_example, "pipeline.yaml"), encoding="utf-8") as file:
        text = file.read()
    contract = next(line.split()[1] for line in text.splitlines() if line.startswith("contract:"))
    text = text.replace(f"contract: {contract}",
                        f"contract: {os.path.join(folder_of_example, contract)}")
    pipeline = os.path.join(folder, "pipeline.yaml")
    with open(pipeline, "w", encoding="utf-8") as file:
        file.write(keep_tables(text, namespaces) if namespaces else text)
    return pipeline, {"KAFKA_BOOTSTRAP": broker.address, "KAFKA_TOPIC": topic,
                      "WEIR_STATE": os.path.join(folder, "state"),
                      "WEIR_WAREHOUSE": os.path.join(folder, "lake")}


def drain(broker, name, folder_of_example, topic, namespaces=None):
    folder = lab.fresh(f"event-time-{name}")
    pipeline, env = pipeline_in(folder, folder_of_example, broker, topic, namespaces)
    usage = measure.run([lab.WEIR, "run", "-c", pipeline, "--once"],
                        log=os.path.join(folder, "run.log"), cores=CORES, cwd=folder, env=env)
    ask = [lab.WEIR, "-c", pipeline, "--format", "json"]
    env = {**os.environ, **env}
    if subprocess.run([ask[0], "verify", *ask[1:]], env=env, stdout=subprocess.DEVNULL,
                      check=False).returncode != 0:
        raise measure.Failed(f"{name}: weir verify found something wrong in {folder}")
    status = json.loads(subprocess.run([ask[0], "status", *ask[1:]], env=env, check=True,
                                       stdout=subprocess.PIPE, text=True).stdout)
    events = status["ledger"]["read"]
    return {"job": name, "engine": "weir", "events": events, "wall_s": round(usage.wall_s, 3),
            "cpu_s": round(usage.cpu_s, 3), "peak_mib": round(usage.peak_mib, 1),
            "events_per_s": round(events / usage.wall_s),
            "events_per_cpu_s": round(events / usage.cpu_s), "state": status["state"],
            "ledger": status["ledger"], "load": lab.load()}


def fill(broker, topic, shape, events, seed, *options):
    broker.create(topic, PARTITIONS)
    measure.run([lab.WEIR, "generate", "--shape", shape, "--seed", seed, "--count", events,
                 "--brokers", broker.address, "--topic", topic, *options],
                log=os.path.join(lab.fresh(f"event-time-{topic}"), "generate.log"))


def middle(runs):
    return sorted(runs, key=lambda line: line["cpu_s"])[len(runs) // 2]


def run(broker, options):
    lab.say(f"event time: filling two topics with {options.events} events")
    fill(broker, "shop", "retail", options.events, options.seed, "--faults", FAULTS)
    fill(broker, "counts", "events", options.events, options.seed)
    jobs = {"silver": ("medallion", "shop", SILVER), "gold": ("medallion", "shop", GOLD),
            "medallion": ("medallion", "shop", MEDALLION), "windows": ("windows", "counts", None)}
    lines = []
    for name, (folder, topic, namespaces) in jobs.items():
        lab.say(f"event time: {name}, {options.repeat} times")
        lines.append(middle([drain(broker, name, example(folder), topic, namespaces)
                             for _ in range(options.repeat)]))
    of = {line["job"]: line for line in lines}
    ledger, keys = of["silver"]["ledger"], of["medallion"]["state"]
    peers = []
    if "duckdb" in options.peers:
        lab.say("event time: DuckDB silver")
        peers += event_time_peers.run_duckdb(options, ledger, FAULTS)
    if "spark" in options.peers:
        peers += event_time_peers.run_spark(broker, ledger, options.events)
    return {"lines": lines + peers,
            "summary": {**{f"{name}_events_per_cpu_s": line["events_per_cpu_s"]
                           for name, line in of.items()},
                        "gold_to_silver_cpu": round(of["gold"]["cpu_s"] / of["silver"]["cpu_s"], 2),
                        **ratios(of, peers),
                        "rss_mib": max(line["peak_mib"] for line in lines),
                        "bytes_per_key": round(keys["dedupe.bytes"] / max(1, keys["dedupe.keys"]),
                                               1)}}


def ratios(of, peers):
    """Events per CPU second against each peer's: of its own job, or of the one it is a part of."""
    return {f"{peer['job']}_to_{peer['engine']}_per_cpu_s":
            round(of[peer["job"].split("_")[0]]["events_per_cpu_s"] / peer["events_per_cpu_s"], 2)
            for peer in peers}
