"""What goes wrong while tables of an epoch are committed together: the program and the catalog's
server are killed, answers are lost, and another writer is at one of the tables."""

import os
import random
import signal
import threading
import time

from pyiceberg.exceptions import CommitFailedException

KILLS = int(os.environ.get("KILLS", "3"))
RAW = "  {table}_raw: {{from: source}}\n"


class Beside(threading.Thread):
    """Runs while a `with` block runs: run() goes on until `ended` is set."""

    def __init__(self):
        super().__init__(daemon=True)
        self.ended = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()


class Intruder(Beside):
    """Changes the table that `load` gives, every `pause` seconds."""

    def __init__(self, load, pause):
        super().__init__()
        self.load, self.pause, self.changes = load, pause, 0

    def run(self):
        while not self.ended.wait(self.pause):
            try:
                with self.load().transaction() as change:
                    change.set_properties(changes=str(self.changes))
                self.changes += 1
            except CommitFailedException:
                pass  # ours was first
            except Exception:  # whatever a client says of a server that was killed
                if self.ended.wait(0.5):
                    return

    def lost_nothing(self):
        """Whether the change that it made last is still there."""
        return self.load().properties["changes"] == str(self.changes - 1)


def kill_again_and_again(job, restart, relay, least, loss):
    """Runs the job, kills it after `least` seconds or some more, KILLS times, and lets it end. An
    answer is lost each `loss` seconds where there is a `relay`. Once the server is restarted."""
    for round in range(KILLS):
        job.generate(3000)
        running = job.start()
        end = time.monotonic() + random.uniform(least, 2 * least)
        while time.monotonic() < end:
            time.sleep(loss)
            if relay:
                relay.armed = True
        if round == 1:
            restart()
        assert running.poll() in (None, 69), (job.folder / "run.log").read_text()[-2000:]
        running.send_signal(signal.SIGKILL)
        running.wait()
    if relay:
        relay.armed = False
    job.must("run --once")
