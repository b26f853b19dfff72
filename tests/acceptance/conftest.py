"""A Kafka broker for the checks that ask for one."""

import subprocess

import pytest

from medallion import ROOT

SERVICE = ROOT / "tests" / "services" / "kafka"


@pytest.fixture(scope="session")
def broker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broker")
    settings = ["--set", "auto.create.topics.enable=true"]
    started = subprocess.run(
        [SERVICE, "start", "--version", "3", "--dir", folder, *settings],
        capture_output=True,
        text=True,
    )
    assert started.returncode == 0, started.stderr
    yield started.stdout.strip().splitlines()[-1]
    subprocess.run([SERVICE, "wipe", "--dir", folder], capture_output=True)
