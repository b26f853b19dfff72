"""The program killed again and again, and the catalog's server with it: the rows are those of a
run without faults. Run longer with KILLS=50."""

import os
import random
import signal
import time

from job import Job

KILLS = int(os.environ.get("KILLS", "5"))


def test_kills_of_the_program_and_of_the_catalog(lake, tmp_path, name):
    job = Job(tmp_path, lake, name)
    job.generate(100)
    assert "will be created" in job.must("validate").stdout
    for round in range(KILLS):
        job.generate(1000)
        running = job.start()
        time.sleep(random.uniform(0.1, 1.2))
        if round % 2 == 1:
            # In the middle of commits; the program waits until it is back.
            lake.restart()
            time.sleep(random.uniform(0.0, 0.5))
        # A server that is away just when the program starts ends it with 69: start it again.
        assert running.poll() in (None, 69), (job.folder / "run.log").read_text()[-2000:]
        running.send_signal(signal.SIGKILL)
        running.wait()
    job.must("run --once")
    job.must("verify")
    assert job.rows() == job.events
    places = lake.table(name).scan(
        selected_fields=("topic", "partition", "offset")).to_arrow()
    assert places.group_by(["topic", "partition", "offset"]).aggregate(
        []).num_rows == places.num_rows, "no row is there twice"
