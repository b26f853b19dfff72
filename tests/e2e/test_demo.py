"""`weir demo`, and its three lines run exactly as they are printed."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest

from job import ROOT, WEIR, weir


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder and what was printed. Its name has a space and a quote, as some folders have."""
    folder = tmp_path_factory.mktemp("demo") / "it's a demo"
    done = weir("demo", "--for", "4s", "--rate", "300", "--dir", folder)
    assert done.returncode == 0, done.stderr
    return folder, done


def lines_of(done):
    return [line for line in done.stdout.splitlines() if line.startswith("python3 -c ")]


def run_line(line, folder, python, before=(), **environment):
    """Runs a printed line by a shell whose python3 is `python`; before: what starts the shell."""
    path = f"{pathlib.Path(python).parent}:{os.environ['PATH']}"
    return subprocess.run([*before, "bash", "-c", line], cwd=folder, capture_output=True, text=True,
                          timeout=300, env=dict(os.environ, PATH=path, **environment))


def has_ended_well(shown):
    """Arrow's threads now and then abort a Python that is on its way out, all printed: what it
    printed is what counts."""
    return shown.returncode in (0, -signal.SIGABRT) and "Traceback" not in shown.stderr


def good_rows(done):
    return int(re.search(r"= ([\d ]+) good", done.stderr)[1].replace(" ", ""))


def test_it_fills_the_table_and_the_quarantine(demo):
    folder, done = demo
    assert re.search(r"1 200 read = [\d ]+ good \+ [1-9]\d* quarantined", done.stderr), done.stderr
    assert "product_view" in done.stdout or "page_view" in done.stdout
    assert "EVENT TIME" in done.stdout
    verify = weir("verify", "-c", folder / "retail-spool.yaml")
    assert verify.returncode == 0, verify.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_it_prints_exactly_three_lines(demo):
    lines = lines_of(demo[1])
    assert [next(w for w in ("duckdb", "pyiceberg", "pyspark") if w in line) for line in lines] == [
        "duckdb", "pyiceberg", "pyspark"]


def test_the_duckdb_line_works_without_a_network(demo):
    folder, done = demo
    line = lines_of(done)[0]
    # In a network of its own where that is allowed; without a cache of extensions in any case.
    alone = ["unshare", "-rn"]
    allowed = shutil.which("unshare") and subprocess.run([*alone, "true"]).returncode == 0
    nowhere = "http://127.0.0.1:9"
    shown = run_line(line, folder, sys.executable, before=alone if allowed else (),
                     HOME=str(folder), http_proxy=nowhere, https_proxy=nowhere)
    assert shown.returncode == 0, shown.stderr
    counts = [int(n) for n in re.findall(r"│ \w+ +│ +(\d+) │", shown.stdout)]
    assert sum(counts) == good_rows(done), shown.stdout


def test_the_pyiceberg_line_works(demo):
    folder, done = demo
    shown = run_line(lines_of(done)[1], folder, sys.executable)
    assert has_ended_well(shown), shown.stderr
    counts = [int(n) for n in re.findall(r"'event_id_count': (\d+)", shown.stdout)]
    assert sum(counts) == good_rows(done)


def test_the_spark_line_works(demo, tmp_path):
    """The slow one: a minute. The jars come from the build folder, as a mirror would give them."""
    folder, done = demo
    jars = ROOT / "build" / "java" / "spark35"
    (tmp_path / "ivy.xml").write_text(f"""<ivysettings><settings defaultResolver="jars"/>
<caches defaultCacheDir="{tmp_path}/cache"/><resolvers><filesystem name="jars">
<artifact pattern="{jars}/[artifact]-[revision].[ext]"/></filesystem></resolvers></ivysettings>""")
    (tmp_path / "spark-defaults.conf").write_text(
        f"spark.jars.ivySettings {tmp_path}/ivy.xml\nspark.jars.ivy {tmp_path}/ivy\n"
        "spark.ui.enabled false\nspark.driver.memory 1g\nspark.sql.shuffle.partitions 2\n")
    python = ROOT / "build" / "venv-spark35" / "bin" / "python"
    shown = run_line(lines_of(done)[2], tmp_path, python, SPARK_CONF_DIR=str(tmp_path),
                     SPARK_LOCAL_IP="127.0.0.1")
    assert shown.returncode == 0, shown.stderr[-3000:]
    counts = [int(n) for n in re.findall(r"\| *\w+\| *(\d+)\|", shown.stdout)]
    assert sum(counts) == good_rows(done), shown.stdout


@pytest.mark.parametrize("lake_format, readers", [
    ("delta", ["duckdb", "deltalake", "pyspark"]),
    ("both", ["duckdb", "pyiceberg", "pyspark", "deltalake", "pyspark"])])
def test_other_formats(tmp_path, lake_format, readers):
    done = weir("demo", "--for", "2s", "--rate", "200", "--dir", tmp_path / "d", "--format",
                lake_format)
    assert done.returncode == 0, done.stderr
    lines = lines_of(done)
    assert [next(r for r in readers if r in line) for line in lines] == readers
    for line in lines:
        if "pyspark" in line:  # conformance.spark35_delta runs what it says
            continue
        shown = run_line(line, tmp_path, sys.executable)
        assert has_ended_well(shown), shown.stderr
        counts = re.findall(r"'event_id_count': (\d+)|│ \w+ +│ +(\d+) │", shown.stdout)
        assert sum(int(a or b) for a, b in counts) == good_rows(done), shown.stdout
    verify = weir("verify", "-c", tmp_path / "d" / "retail-spool.yaml")
    assert verify.returncode == 0, verify.stdout


def test_a_second_demo_clears_the_first(demo):
    folder, _ = demo
    done = weir("demo", "--for", "1s", "--rate", "50", "--dir", folder)
    assert done.returncode == 0, done.stderr
    assert "50 read" in done.stderr


def test_an_interrupted_demo_still_shows_what_it_has(tmp_path):
    demo = subprocess.Popen(
        [WEIR, "demo", "--for", "10m", "--rate", "200", "--dir", tmp_path / "d"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        demo.communicate(timeout=3)
    except subprocess.TimeoutExpired:
        demo.send_signal(2)
    out, err = demo.communicate(timeout=60)
    assert demo.returncode == 0, err
    assert "good" in err and out.count("python3 -c") == 3
    assert weir("verify", "-c", tmp_path / "d" / "retail-spool.yaml").returncode == 0
