"""An installed folder works wherever it is put, with the libraries that it brings."""
import json
import os
import re
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


def test_arrow_answers_for_nothing_but_arrow():
    loud = dict(os.environ, LD_BIND_NOW="1", LD_DEBUG="bindings")
    done = subprocess.run([WEIR, "version"], env=loud, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    bound = re.findall(r"binding file (\S+) \[0\] to (\S+) \[0\]: normal symbol `(\w+)'",
                       done.stderr)
    arrow = re.compile("lib(arrow|parquet)[.]so")
    taken = {name for user, giver, name in bound if arrow.search(giver) and not arrow.search(user)}
    assert taken
    in_c = sorted(name for name in taken if not name.startswith("_Z"))
    assert not in_c
