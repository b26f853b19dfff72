"""Runs a program and measures the whole of it: wall clock, CPU seconds and peak memory of the
process and of everything that it started and waited for."""

import dataclasses
import os
import signal
import subprocess
import threading
import time


@dataclasses.dataclass
class Usage:
    """What one run took. peak_mib is that of the largest process of the tree."""
    wall_s: float
    cpu_s: float
    peak_mib: float
    output: str  # standard output


class Failed(Exception):
    """A program ended badly; the message holds the end of what it said."""


def pinned(cores, command):
    """The command, kept on the first `cores` cores."""
    return ["taskset", "-c", ",".join(str(core) for core in range(cores)), *map(str, command)]


def run(command, log, cores=None, env=None, cwd=None, timeout_s=900):
    """Runs to the end; standard error goes to the file `log`. Raises Failed on a bad exit."""
    command = [str(word) for word in command]
    if cores:
        command = pinned(cores, command)
    with open(log, "wb") as errors:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=errors, env={**os.environ, **(env or {})}, cwd=cwd,
                                 start_new_session=True)
        late = threading.Timer(timeout_s, os.killpg, (child.pid, signal.SIGKILL))
        late.start()
        output = child.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
        late.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        with open(log, encoding="utf-8", errors="replace") as errors:
            said = "".join(errors.readlines()[-15:])
        raise Failed(f"{' '.join(command)} ended with {child.returncode}; {log} ends:\n{said}")
    return Usage(wall_s=time.monotonic() - begin, cpu_s=usage.ru_utime + usage.ru_stime,
                 peak_mib=usage.ru_maxrss / 1024, output=output)


class Watched:
    """A program that runs beside us: start, look at, stop."""

    def __init__(self, command, log, cores=None, env=None, cwd=None):
        command = pinned(cores, command) if cores else [str(word) for word in command]
        self.log = log
        self.errors = open(log, "wb")  # pylint: disable=consider-using-with
        self.begin = time.monotonic()
        self.child = subprocess.Popen(  # pylint: disable=consider-using-with
            command, stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors,
            env={**os.environ, **(env or {})}, cwd=cwd)

    def running(self):
        return self.child.poll() is None

    def cpu_s(self):
        """So far, without children."""
        with open(f"/proc/{self.child.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mib(self):
        with open(f"/proc/{self.child.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

    def stop(self, how=signal.SIGTERM, timeout_s=60):
        """Signals it, unless it has ended, and gives its exit code."""
        if self.running():
            self.child.send_signal(how)
        try:
            return self.child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.child.kill()
            return self.child.wait()
        finally:
            self.errors.close()


def until(condition, timeout_s, what, every_s=0.01):
    """Waits for a condition and returns its first true value."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(every_s)
    raise Failed(f"no {what} within {timeout_s} s")
