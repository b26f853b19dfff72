"""The services of this folder, for tests in Python: a server in a folder, a session of Spark."""

import contextlib
import json
import pathlib
import socket
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def free_port():
    """A port of loopback that nobody listens at now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def service(name, *arguments):
    """Runs a service's script to its end and returns what it printed."""
    return subprocess.run([HERE / name, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                          check=True, timeout=180).stdout.strip()


@contextlib.contextmanager
def server(name, folder, *options):
    """A server in a folder that is taken away with it; its address."""
    try:
        yield service(name, "start", "--dir", folder, *options)
    finally:
        service(name, "wipe", "--dir", folder)


class SparkError(Exception):
    pass


class SparkSession:
    """A process of Spark that answers statements: starting one takes longer than what it does."""

    def __init__(self, version, conf, log):
        """conf: settings by name; log: a file for what Spark says."""
        options = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
        with socket.create_server(("127.0.0.1", 0)) as listener, open(log, "w") as out:
            self.process = subprocess.Popen(
                [HERE / "spark", "--version", version, *options, HERE / "spark_sql.py",
                 str(listener.getsockname()[1])],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            listener.settimeout(300)
            self.connection, _ = listener.accept()
        self.lines = self.connection.makefile("rw")

    def sql(self, statement):
        """The rows of the answer."""
        self.lines.write(json.dumps(statement) + "\n")
        self.lines.flush()
        answer = json.loads(self.lines.readline())
        if "error" in answer:
            raise SparkError(f"{statement}: {answer['error']}")
        return answer["rows"]

    def one(self, statement):
        return self.sql(statement)[0][0]

    def close(self):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()
        self.process.wait(timeout=120)
