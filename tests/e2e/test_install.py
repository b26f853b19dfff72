"""An installed folder works wherever it is put, with the libraries that it brings."""
import json
import os
import subprocess

from job import WEIR


def test_an_installed_folder_can_be_moved(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    done = subprocess.run(["cmake", "--install", WEIR.parent, "--prefix", first],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    first.rename(second)
    program = second / "bin" / "weir"
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    version = subprocess.run([program, "version", "--format", "json"], env=bare,
                             capture_output=True, text=True, timeout=60)
    assert version.returncode == 0, version.stderr
    assert json.loads(version.stdout)["weir"]
    linked = subprocess.run(["ldd", program], env=bare, capture_output=True, text=True, timeout=60)
    for library in ("libarrow", "libparquet"):
        line = next(line for line in linked.stdout.splitlines() if library in line)
        assert str(second) in os.path.normpath(line.split("=> ")[1].split(" ")[0]), line
