"""Faults of the machine, under the real process: a disk that fills up, folders that may not be
written, a catalog that is locked, away, damaged or older than it was, a clock that jumps.

FAULTS is the table: a new fault is one line. Each is gone through twice, under a running process
and before one starts. The process waits and goes on by itself, or it ends with the exit code of
the table and one message. In both cases the tables can be read meanwhile, and all rows are there
once in the end.
"""
import contextlib
import dataclasses
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import typing

import pytest

from job import GOOD, WEIR, Job, catalog

# Root may do anything; without capabilities it may do what the modes say, like anybody.
POWERLESS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
GOES_ON = None


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"it never happened: {what()}"
        time.sleep(0.05)
    return found


class FaultyJob(Job):
    """A job whose process may be limited, and whose messages come through a pipe: a limit on the
    size of files must not hold for them."""

    def __init__(self, folder):
        super().__init__(folder, every="200ms")
        self.sent = 0
        self.process = None
        self.cat = None

    def start(self, *arguments, clock=None):
        environment = dict(os.environ)
        if clock:
            environment.update(clock.environment())
        self.cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE,
                                    stdout=open(self.folder / "run.log", "wb"))
        self.process = subprocess.Popen(
            [*POWERLESS, WEIR, "run", "-c", self.pipeline, *arguments], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.cat.stdin)
        self.cat.stdin.close()
        return self.process

    def ended(self):
        """The exit code once it ended, all messages read."""
        code = self.process.wait(120)
        self.cat.wait(30)
        return code

    def send(self, count):
        events = [dict(GOOD, event_id=f"e{self.sent + i}") for i in range(count)]
        self.produce(*events)
        self.sent += count

    def catalog(self):
        return catalog(self.folder)

    def table(self):
        return self.catalog().load_table("shop.events")

    def ids(self):
        return self.table().scan(selected_fields=("event_id",)).to_arrow()["event_id"].to_pylist()

    def expect_all_once(self):
        expected = sorted(f"e{i}" for i in range(self.sent))
        assert sorted(self.ids()) == expected
        proof = self.weir("verify")
        assert proof.returncode == 0, proof.stdout + proof.stderr

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.ended() == 0, self.log()


@pytest.fixture
def job(tmp_path):
    job = FaultyJob(tmp_path / "job")
    with contextlib.ExitStack() as stack:
        job.stack = stack
        yield job
        if job.process and job.process.poll() is None:
            job.process.kill()
            job.process.wait()


# --- the faults: each takes a job and is there until its context ends ----------------------------

def small_disk(job, place):
    """A disk of 16 MiB under this folder, if that is allowed here."""
    folder = job.folder / place
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        return False
    job.stack.callback(subprocess.run, ["umount", "-l", folder], check=True)
    return True


def fill(folder, leave=0):
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as out, contextlib.suppress(OSError):
        while True:
            out.write(bytes(65536))
    with contextlib.suppress(OSError), open(ballast, "ab", buffering=0) as out:
        while True:
            out.write(bytes(512))
    os.truncate(ballast, ballast.stat().st_size - leave)
    return ballast


def disk_full(place, leave=0):
    @contextlib.contextmanager
    def fault(job):
        assert os.path.ismount(job.folder / place) or not job.disks
        if not job.disks:  # no disk of our own: files that may not grow are as good
            with file_limit(job):
                yield
            return
        ballast = fill(job.folder / place, leave)
        yield
        ballast.unlink()
    fault.place = place
    return fault


@contextlib.contextmanager
def file_limit(job):
    """No file may grow any more, as if all disks were full. Only a running process has this."""
    soft, hard = resource.prlimit(job.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(job.process.pid, resource.RLIMIT_FSIZE, (0, hard))
    yield
    if job.process.poll() is None:
        resource.prlimit(job.process.pid, resource.RLIMIT_FSIZE, (soft, hard))


def modes(place, folder_mode, file_mode):
    @contextlib.contextmanager
    def fault(job):
        everything = [job.folder / place, *(job.folder / place).rglob("*")]
        before = {path: path.stat().st_mode for path in everything}
        for path in reversed(everything):
            path.chmod(folder_mode if path.is_dir() else file_mode)
        yield
        for path in everything:
            path.chmod(before[path])
    return fault


def read_only(place):
    return modes(place, 0o555, 0o444)


def denied(place):
    return modes(place, 0o000, 0o000)


@contextlib.contextmanager
def catalog_locked(job):
    catalog = sqlite3.connect(job.folder / "lake" / "catalog.db", isolation_level=None)
    catalog.execute("BEGIN EXCLUSIVE")
    yield
    catalog.execute("ROLLBACK")
    catalog.close()


def catalog_files(job):
    return sorted((job.folder / "lake").glob("catalog.db*"))


@contextlib.contextmanager
def catalog_away(job):
    away = job.folder / "lake" / "away"  # on the same disk
    away.mkdir()
    for file in catalog_files(job):
        file.rename(away / file.name)
    yield
    for file in away.iterdir():
        file.rename(job.folder / "lake" / file.name)


@contextlib.contextmanager
def catalog_damaged(job):
    """Every byte of the database is wrong, and comes back from a copy."""
    saved = {file: file.read_bytes() for file in catalog_files(job)}
    for file in saved:
        file.unlink()
    (job.folder / "lake" / "catalog.db").write_bytes(b"\xa5" * 65536)
    yield
    for file, content in saved.items():
        file.write_bytes(content)


# --- the table -----------------------------------------------------------------------------------

@dataclasses.dataclass
class Fault:
    name: str
    make: typing.Callable
    error: str               # the code of its message, waiting or ending
    running: int | None      # the exit code of a process that meets it; None: it never ends
    at_start: int | None     # the exit code of a start
    words: tuple = ()        # what the message must name
    may_wait: bool = False   # a running process may also wait, as it depends on where it is

    def __str__(self):
        return self.name.replace(" ", "-")


FAULTS = [
    Fault("state disk full", disk_full("state"), "WEIR0501", 75, 75, ("state",), may_wait=True),
    Fault("lake disk full", disk_full("lake"), "WEIR0501", 75, 75, ("lake",), may_wait=True),
    Fault("state read only", read_only("state"), "WEIR0502", 78, 78, ("state",)),
    Fault("lake read only", read_only("lake"), "WEIR0502", 78, 78, ("lake",)),
    Fault("state denied", denied("state"), "WEIR0502", 78, 78, ("state",)),
    Fault("lake denied", denied("lake"), "WEIR0502", 78, 78, ("lake",)),
    Fault("log denied", denied("log"), "WEIR0502", 78, 78, ("log",)),
    Fault("catalog locked", catalog_locked, "WEIR0404", GOES_ON, 69, ("catalog.db",)),
    Fault("catalog away", catalog_away, "WEIR0404", GOES_ON, 69, ("catalog.db",)),
    Fault("catalog damaged", catalog_damaged, "WEIR0404", 69, 69, ("catalog.db",)),
]


def one_message(text, fault):
    """Ends say what and where, once, and what to do; never by a stack trace."""
    assert len(re.findall(r"^error\[", text, re.M)) == 1, text
    assert f"error[{fault.error}]" in text, text
    for word in fault.words:
        assert word in text, text
    assert re.search(r"^ *(help|fix|do|remedy|=)", text, re.M | re.I), text
    assert "terminate called" not in text and "WEIR0901" not in text, text


def goes_on_waiting(job):
    """Whether a process that said what is wrong does not end over it."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        job.process.wait(2)
    return job.process.poll() is None


def ready(job, *disks):
    """A job that has written a row already."""
    job.disks = all([small_disk(job, place) for place in disks])
    job.send(1)
    assert job.run("--once").returncode == 0
    return job


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_under_a_running_process(job, fault):
    ready(job, "state", "lake")
    job.start()
    wait_for(lambda: "pipeline shop" in job.log(), job.log)
    job.send(20)
    wait_for(lambda: job.rows() == 21, job.log)
    with fault.make(job):
        with contextlib.suppress(AssertionError):  # the log itself may be what is away
            job.send(20)
        wait_for(lambda: job.process.poll() is not None or fault.error in job.log(), job.log)
        waits = goes_on_waiting(job)
        assert not waits or fault.running is None or fault.may_wait, job.log()
    if waits:
        job.send(20)
        wait_for(lambda: job.rows() == job.sent, job.log, 90)
        job.stop()
    else:
        assert job.ended() == fault.running, job.log()
        one_message(job.log(), fault)
        done = job.run("--once")
        assert done.returncode == 0, done.stderr
    job.expect_all_once()


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_before_a_start(job, fault):
    ready(job, "state", "lake")
    job.send(20)
    with fault.make(job):
        job.start("--once")
        assert job.ended() == fault.at_start, job.log()
        one_message(job.log(), fault)
    done = job.run("--once")
    assert done.returncode == 0, done.stderr
    job.expect_all_once()


# --- a disk that fills up somewhere in the middle -------------------------------------------------

LEFT_OVER = [0, 4096, 8192, 12288, 16384, 20480, 24576, 32768, 49152]


@pytest.mark.parametrize("place", ["lake", "state"])
def test_a_disk_that_fills_up_at_any_step(job, place):
    """Data file, manifest, list, metadata, catalog, journal, record: wherever the space ends, the
    table can be read, and what was sent is there once when there is space again."""
    ready(job, "state", "lake")
    met = 0
    for leave in LEFT_OVER:
        job.send(5)
        fault = disk_full(place, leave) if job.disks else file_limit
        if not job.disks:
            job.start("--for", "1s")
        with fault(job):
            if job.disks:
                job.start("--for", "1s")
            wait_for(lambda: job.process.poll() is not None or "WEIR0501" in job.log(), job.log)
            met += "WEIR0501" in job.log()
            assert set(job.ids()) <= {f"e{i}" for i in range(job.sent)}
        assert job.ended() in (0, 75), job.log()  # one that waits goes on now
        done = job.run("--once")
        assert done.returncode == 0, done.stderr
        job.expect_all_once()
    assert met > 0


def test_files_that_may_not_grow(job):
    ready(job)
    job.start()
    job.send(20)
    wait_for(lambda: job.rows() == 21, job.log)
    with file_limit(job):
        job.send(20)
        wait_for(lambda: "WEIR0501" in job.log(), job.log)
        waits = goes_on_waiting(job)
    if waits:
        wait_for(lambda: job.rows() == job.sent, job.log)
        job.stop()
    else:
        assert job.ended() == 75, job.log()
        assert job.run("--once").returncode == 0
    job.expect_all_once()


# --- the clock ------------------------------------------------------------------------------------

class MovedClock:
    """The wall clock of a process, moved by so many seconds while it runs."""

    def __init__(self, folder):
        self.file, self.preloaded = folder / "clock", folder / "moved_clock.so"
        source = pathlib.Path(__file__).with_name("moved_clock.c")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", self.preloaded, source], check=True)
        self.move(0)

    def move(self, seconds):
        fresh = self.file.with_suffix(".new")
        fresh.write_text(str(seconds))
        fresh.rename(self.file)

    def environment(self):
        return {"LD_PRELOAD": str(self.preloaded), "MOVED_CLOCK": str(self.file),
                # The address sanitizer, where it is built in, would insist on being loaded first.
                "ASAN_OPTIONS": "verify_asan_link_order=0"}


def test_a_clock_that_jumps_back(job):
    clock = MovedClock(job.folder)
    ready(job)
    job.start(clock=clock)
    hour, day = 3600, 86400
    for seconds in (0, -2 * hour, -3 * day, day, -day):
        clock.move(seconds)
        job.send(5)
        wait_for(lambda: job.rows() == job.sent, job.log)
    job.stop()
    metadata = job.table().metadata
    for log in (metadata.snapshot_log, metadata.metadata_log):
        times = [entry.timestamp_ms for entry in log]
        assert times == sorted(times)
    # It did move: nothing goes back, so what came after the step a day ahead is from there on.
    assert times[-1] > (time.time() + day / 2) * 1000
    job.expect_all_once()
    # A start with a clock that is behind all that was written.
    clock.move(-30 * day)
    job.send(5)
    job.start("--once", clock=clock)
    assert job.ended() == 0, job.log()
    job.expect_all_once()


# --- others at the same table ---------------------------------------------------------------------

FOREIGN = """
import sys, pyarrow, pyiceberg.exceptions
from pyiceberg.catalog.sql import SqlCatalog
folder, wanted = sys.argv[1], int(sys.argv[2])
catalog = SqlCatalog("weir", uri=f"sqlite:///{folder}/lake/catalog.db",
                     warehouse=f"file://{folder}/lake")
rows = catalog.load_table("shop.events").scan(limit=1).to_arrow()
done = conflicts = 0
while done < wanted:
    name = pyarrow.array([f"foreign{done}"])
    at = rows.schema.get_field_index("event_id")
    try:
        table = catalog.load_table("shop.events")
        table.append(rows.set_column(at, rows.schema.field(at), name))
        done += 1
    except pyiceberg.exceptions.CommitFailedException:
        conflicts += 1
    except Exception as error:
        if "locked" not in str(error):
            raise
print(done, conflicts)
"""


def test_a_storm_of_foreign_commits(job):
    ready(job)
    foreign = [subprocess.Popen([sys.executable, "-c", FOREIGN, job.folder, "12"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)]
    job.start()
    while foreign[0].poll() is None:
        job.send(3)
        time.sleep(0.2)
    out, err = foreign[0].communicate()
    assert foreign[0].returncode == 0, err
    wait_for(lambda: job.rows() == job.sent + 12, job.log)
    job.stop()
    ids = job.ids()
    assert sorted(i for i in ids if i.startswith("foreign")) == sorted(
        f"foreign{i}" for i in range(12))
    assert sorted(i for i in ids if not i.startswith("foreign")) == sorted(
        f"e{i}" for i in range(job.sent))


# --- backups that are older than the rest ---------------------------------------------------------

def copy_over(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def refused(job, error, code, *words):
    done = job.run("--once")
    assert done.returncode == code, done.stderr
    assert len(re.findall(rf"error\[{error}\]", done.stderr)) == 1, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


def test_a_state_older_than_the_tables_is_refused(job):
    ready(job)
    shutil.copytree(job.folder / "state", job.folder / "old")
    job.send(5)
    assert job.run("--once").returncode == 0
    copy_over(job.folder / "state", job.folder / "new")
    copy_over(job.folder / "old", job.folder / "state")
    job.send(5)
    refused(job, "WEIR0201", 3, "older copy", "state folder")
    copy_over(job.folder / "new", job.folder / "state")
    assert job.run("--once").returncode == 0
    job.expect_all_once()


def pointers(job, rows=()):
    """Where the catalog points now; then it points where `rows` say."""
    with contextlib.closing(sqlite3.connect(job.folder / "lake" / "catalog.db")) as catalog:
        now = list(catalog.execute("SELECT table_name, metadata_location FROM iceberg_tables"))
        for name, location in rows:
            catalog.execute("UPDATE iceberg_tables SET metadata_location = ? "
                            "WHERE table_name = ?", (location, name))
        catalog.commit()
    return now


def test_a_catalog_that_lost_what_the_last_process_wrote_gets_it_again(job):
    ready(job)
    old = pointers(job)
    job.send(5)
    assert job.run("--once").returncode == 0
    pointers(job, old)
    assert job.run("--once").returncode == 0  # its records are still there
    job.expect_all_once()


def test_a_catalog_older_than_the_records_is_refused(job):
    ready(job)
    old = pointers(job)
    for _ in range(3):
        job.send(5)
        assert job.run("--once").returncode == 0
    new = pointers(job, old)
    for extra in (0, 5):  # with and without something new to write
        if extra:
            job.send(extra)
        refused(job, "WEIR0203", 3, "shop.events", "older copy")
    pointers(job, new)
    assert job.run("--once").returncode == 0
    job.expect_all_once()


def test_a_table_that_was_dropped_is_not_made_anew(job):
    ready(job)
    newest = job.table().metadata_location
    job.catalog().drop_table("shop.events")
    job.send(5)
    refused(job, "WEIR0202", 3, "shop.events", "is gone")
    assert job.catalog().list_tables("shop") == [("shop", "quarantine")]
    job.catalog().register_table("shop.events", newest)
    assert job.run("--once").returncode == 0
    job.expect_all_once()


def test_a_table_that_is_dropped_meanwhile(job):
    ready(job)
    job.start()
    job.send(5)
    wait_for(lambda: job.rows() == 6, job.log)
    newest = job.table().metadata_location
    job.catalog().drop_table("shop.events")
    job.send(5)
    assert job.ended() == 78, job.log()
    assert job.log().count("error[WEIR0401]") == 1, job.log()
    job.catalog().register_table("shop.events", newest)
    assert job.run("--once").returncode == 0
    job.expect_all_once()


def test_metadata_that_is_gone_is_named(job):
    ready(job)
    metadata = job.folder / "lake" / "shop" / "events" / "metadata"
    metadata.rename(job.folder / "away")
    job.send(5)
    refused(job, "WEIR0405", 1, "metadata.json")
    shutil.rmtree(metadata, ignore_errors=True)
    (job.folder / "away").rename(metadata)
    assert job.run("--once").returncode == 0
    job.expect_all_once()
