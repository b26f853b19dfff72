"""Memory with many open partitions: each epoch writes rows into 500 of them, on a folder and on an
object store of this machine."""

import os
import subprocess
import sys

import lab
import measure

sys.path.insert(0, os.path.join(lab.ROOT, "tests", "services"))

from service import server  # noqa: E402  pylint: disable=wrong-import-position

PARTITIONS = 500
EPOCHS = 4
PIPELINE = """pipeline: bench
source:
  spool: {log}
  topic: clicks
  start: earliest
state: {place}/state
contract: {contract}
lake:
  warehouse: {place}/lake
  catalog: {{sql: "sqlite:{folder}/catalog.db"}}
{s3}epoch: {{every: 10m, max_rows: {rows}}}
tables:
  retail.clickstream_events:
    from: valid
    partition_by: ["bucket({partitions}, event_id)"]
on_error: fail
"""
S3 = """s3:
  {{endpoint: {endpoint}, region: us-east-1, access_key: "${{KEY}}", secret_key: "${{SECRET}}"}}
"""
SECRETS = {"KEY": "weirkey", "SECRET": "weirsecret"}


def job(folder, log, place, s3, rows):
    """Writes the pipeline file."""
    with open(os.path.join(folder, "pipeline.yaml"), "w", encoding="utf-8") as file:
        file.write(PIPELINE.format(log=log, place=place, folder=folder, contract=lab.CONTRACT,
                                   rows=rows, partitions=PARTITIONS, s3=s3))
    return [lab.WEIR, "run", "-c", "pipeline.yaml", "--once"]


def drain(name, log, place, s3, events):
    """A run over all events; its usage. Every row must be there, in every partition."""
    folder = lab.fresh("partitions", name)
    command = job(folder, log, place or folder, s3, events // EPOCHS)
    usage = measure.run(command, os.path.join(folder, "run.log"), env=SECRETS, cwd=folder)
    proof = measure.run([lab.WEIR, "verify", "-c", "pipeline.yaml"],
                        os.path.join(folder, "verify.log"), env=SECRETS, cwd=folder)
    lab.say(f"partitions: {name}: {usage.wall_s:.1f} s, {usage.peak_mib:.0f} MiB; "
            f"{proof.output.splitlines()[-1] if proof.output else ''}")
    return usage


def run(_broker, options):
    events = min(options.events, 2_000_000)
    lab.say(f"partitions: {events} events into {PARTITIONS} partitions in {EPOCHS} epochs")
    log = os.path.join(lab.fresh("partitions-log"), "log")
    subprocess.run([lab.WEIR, "generate", "--seed", str(options.seed), "--count", str(events),
                    "--spool", log, "--topic", "clicks", "--partitions", "2"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    local = drain("folder", log, None, "", events)
    with server("s3", lab.fresh("partitions-store")) as endpoint:
        remote = drain("s3", log, "s3://weir/bench", S3.format(endpoint=endpoint), events)
    return {"events": events, "partitions": PARTITIONS, "load": lab.load(),
            "summary": {"folder_mib": round(local.peak_mib), "s3_mib": round(remote.peak_mib),
                        "folder_s": round(local.wall_s, 1), "s3_s": round(remote.wall_s, 1)}}
