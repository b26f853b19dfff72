"""Start of a pipeline with much state: ten million keys of dedupe and a million open sessions. The
state is made by a run that drains so many events of so many users within minutes of event time; a
restart is measured from the start of the process to its first commit, which holds one late-coming
event."""

import json
import os
import random
import subprocess

import lab
import measure

USERS = 1_000_000
PARTITIONS = 4
CORES = 2
START = 1_748_851_200_000  # milliseconds; event time goes on by 60 us an event
CONTRACT = """name: visit
version: 1
event_type: event_type
event_time: event_time
fields:
  event_id: {type: string, required: true}
  event_time: {type: timestamp, required: true, format: epoch_ms}
  user_id: {type: string, required: true}
  event_type: {type: string, required: true}
  page: string
event_types:
  view: {}
  buy: {}
"""
PIPELINE = """pipeline: restore
source:
  spool: ./log
  topic: visits
  start: earliest
state: ./state
contract: visit.yaml
lake:
  warehouse: ./lake
  catalog: {sql: "sqlite:./lake/catalog.db"}
epoch: {every: 1s}
watermark: {delay: 10m, idle_after: 1h}
state_memory: 8GiB
tables:
  silver.visits:
    from: valid
    dedupe: {key: event_id, horizon: 24h}
  late.visits:
    from: late
  gold.sessions:
    sessions: {by: user_id, gap: 30m, page: page}
on_error: fail
"""


def event(number, chance):
    user = number if number < USERS else chance.randrange(USERS)
    return ('{"event_id":"%08x-1c3f-4a77-8b52-%012x","event_time":%d,"user_id":"user_%07d",'
            '"event_type":"%s","page":"/products/%d"}\n' %
            (chance.getrandbits(32), number, START + number * 60 // 1000, user,
             "view" if number % 20 else "buy", number % 3000))


def produce(folder, first, count, seed):
    """Events with these numbers into the embedded log."""
    chance = random.Random(seed)
    command = [lab.WEIR, "produce", "--spool", "log", "--topic", "visits", "--key", "user_id",
               "--partitions", str(PARTITIONS)]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, text=True) as child:
        for number in range(first, first + count):
            child.stdin.write(event(number, chance))
        child.stdin.close()
        if child.wait() != 0:
            raise measure.Failed(f"weir produce ended with {child.returncode}")


def drain(folder):
    return measure.run([lab.WEIR, "run", "-c", "pipeline.yaml", "--once"],
                       log=os.path.join(folder, "run.log"), cores=CORES, cwd=folder)


def state_bytes(folder):
    return sum(os.path.getsize(os.path.join(path, name))
               for path, _, names in os.walk(os.path.join(folder, "state")) for name in names)


def run(_, options):
    keys = options.keys
    folder = lab.fresh("restore")
    for name, text in {"visit.yaml": CONTRACT, "pipeline.yaml": PIPELINE}.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    lab.say(f"restore: making state of {keys} keys and {min(keys, USERS)} sessions")
    produce(folder, 0, keys, options.seed)
    drain(folder)
    lab.say(f"restore: starting with it, {options.repeat} times")
    runs = []
    for attempt in range(options.repeat):
        produce(folder, keys + attempt, 1, options.seed + attempt)
        runs.append(drain(folder))
    status = json.loads(subprocess.run([lab.WEIR, "status", "-c", "pipeline.yaml", "--format",
                                        "json"], cwd=folder, check=True, stdout=subprocess.PIPE,
                                       text=True).stdout)
    if status["state"]["dedupe.keys"] != keys + options.repeat:
        raise measure.Failed(f"restore: the state holds {status['state']['dedupe.keys']} keys")
    middle = sorted(runs, key=lambda usage: usage.wall_s)[len(runs) // 2]
    sessions = status["state"]["gold.sessions.bytes"]
    return {"keys": keys, "sessions": min(keys, USERS), "load": lab.load(),
            "summary": {"to_commit_s": round(middle.wall_s, 2), "cpu_s": round(middle.cpu_s, 2),
                        "rss_mib": round(middle.peak_mib, 1),
                        "state_mib": round(state_bytes(folder) / 2**20, 1),
                        "bytes_per_key": round(status["state"]["dedupe.bytes"] / keys, 1),
                        "bytes_per_session": round(sessions / min(keys, USERS), 1)}}
