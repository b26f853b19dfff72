"""Whether uploads hide behind reading: a drain in some epochs onto an object store of this machine,
as it is, and when the answer to each upload of a data file comes later by a quarter of what an
epoch takes. Without an overlap the second takes a quarter longer."""

import os
import statistics
import subprocess
import sys
import time

import lab
import measure

sys.path += [os.path.join(lab.ROOT, "tests", name) for name in ("services", "e2e")]

from s3_proxy import FaultyProxy  # noqa: E402  pylint: disable=wrong-import-position
from service import server  # noqa: E402  pylint: disable=wrong-import-position

EPOCHS = 30  # each one file that is one upload
PIPELINE = """pipeline: bench
source:
  spool: {log}
  topic: clicks
  start: earliest
state: s3://weir/{prefix}/state
contract: {contract}
lake:
  warehouse: s3://weir/{prefix}/lake
  catalog: {{sql: "sqlite:{folder}/catalog.db"}}
s3: {{endpoint: {endpoint}, region: us-east-1, access_key: weirkey, secret_key: "${{SECRET}}"}}
epoch: {{every: 10m, max_rows: {rows}}}
tables:
  retail.clickstream_events: {{from: valid}}
on_error: fail
"""


class SlowUploads(FaultyProxy):
    """Passes everything on, data files late."""
    delay_s = 0.0
    uploads = 0

    def fault_for(self, method, path):
        if method == "PUT" and ".parquet" in path:
            self.uploads += 1
            time.sleep(self.delay_s)


def drain(name, log, endpoint, rows):
    folder = lab.fresh("uploads", name)
    with open(os.path.join(folder, "pipeline.yaml"), "w", encoding="utf-8") as file:
        file.write(PIPELINE.format(log=log, prefix=name, folder=folder, contract=lab.CONTRACT,
                                   rows=rows, endpoint=endpoint))
    return measure.run([lab.WEIR, "run", "-c", "pipeline.yaml", "--once"],
                       os.path.join(folder, "run.log"), env={"SECRET": "weirsecret"},
                       cwd=folder).wall_s


def run(_broker, options):
    events = options.events
    lab.say(f"uploads: {events} events in {EPOCHS} epochs, with slow uploads")
    log = os.path.join(lab.fresh("uploads-log"), "log")
    subprocess.run([lab.WEIR, "generate", "--seed", str(options.seed), "--count", str(events),
                    "--spool", log, "--topic", "clicks", "--partitions", "2"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rows = events // EPOCHS
    with server("s3", lab.fresh("uploads-store")) as endpoint:
        with SlowUploads(endpoint) as store:
            quick, slow = [], []
            drain("warm", log, store.url, rows)
            for turn in range(options.repeat):
                store.delay_s = 0.0
                quick.append(drain(f"quick{turn}", log, store.url, rows))
                store.delay_s, before = quick[-1] / EPOCHS / 4, store.uploads
                slow.append(drain(f"slow{turn}", log, store.url, rows))
                if store.uploads - before < EPOCHS:
                    raise measure.Failed("uploads: an epoch was not uploaded")
    hidden = [1 - (late / soon - 1) / 0.25 for soon, late in zip(quick, slow)]
    return {"epochs": EPOCHS, "quick_s": quick, "slow_s": slow, "load": lab.load(),
            "summary": {"quick_s": round(statistics.median(quick), 2),
                        "slow_s": round(statistics.median(slow), 2),
                        "hidden_share": round(statistics.median(hidden), 2)}}
