"""What the check tools share: the files of the project, include edges, and checks whose results
are kept, so that a second run looks only at what changed."""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def files(*endings, under=""):
    """Paths (from the root) of all files that git tracks or would add, by their last characters."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", under or "."],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(path for path in set(listed)
                  if path and path.endswith(endings or ("",))
                  and os.path.isfile(os.path.join(ROOT, path)))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def resolve(including, name):
    """The file of ours that `#include "name"` means, or None."""
    for folder in ("src", os.path.dirname(including), "tests", ""):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(ROOT, path)):
            return path
    return None


def includes(path):
    return [found for name in INCLUDE.findall(read(path)) if (found := resolve(path, name))]


def closure(path):
    """The file and all of ours that it includes, at any depth."""
    seen, todo = set(), [path]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo.extend(includes(current))
    return sorted(seen)


def compile_flags(preset="clang"):
    """file -> the arguments that compile it first, without the output. Configures the preset."""
    folder = os.path.join(ROOT, "build", preset)
    subprocess.run(["cmake", "--preset", preset], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    flags = {}
    for entry in commands:
        words = shlex.split(re.sub(r" -o \S+ -c .*", "", entry["command"]))
        while not os.path.basename(words[0]).startswith(("clang", "g++", "c++")):
            words.pop(0)  # a compiler launcher
        flags.setdefault(os.path.relpath(entry["file"], ROOT), words)
    return flags


def run_kept(name, jobs, run, key_of):
    """Runs `run(job)` -> text of complaints for each job, two at a time. A job without complaints
    is not run again while `key_of(job)` stays the same. Yields the complaints as they are found."""
    folder = os.path.join(ROOT, "build", "checked", name)
    os.makedirs(folder, exist_ok=True)

    def one(job):
        stamp = os.path.join(folder, hashlib.sha256(key_of(job).encode()).hexdigest()[:32])
        if os.path.exists(stamp):
            return ""
        complaints = run(job)
        if not complaints:
            open(stamp, "w", encoding="utf-8").close()
        return complaints

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        yield from filter(None, pool.map(one, jobs))


def contents(paths):
    """One digest over these files, for keys."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.encode() + b"\0" + read(path).encode() + b"\0")
    return digest.hexdigest()


def finish(name, complaints, remedy=""):
    """Prints the complaints and ends the program, with 1 if there are any."""
    count = 0
    for count, complaint in enumerate(complaints, 1):
        print(complaint, flush=True)
    if count:
        print(f"{name}: {count} to mend. {remedy}".rstrip(), file=sys.stderr)
        sys.exit(1)
    print(f"{name}: good")
