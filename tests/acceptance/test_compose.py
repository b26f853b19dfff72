"""The examples' compose files: known keys, pinned images, ports of this machine only,
names that exist. Not the daemon's own check, which needs Docker."""

import re

import pytest
from strictyaml.ruamel.main import YAML

from medallion import ROOT

TOP = {"name", "services", "volumes"}
SERVICE = {
    "image",
    "ports",
    "environment",
    "volumes",
    "healthcheck",
    "depends_on",
    "command",
    "restart",
    "profiles",
    "user",
    "entrypoint",
}
HEALTHCHECK = {"test", "interval", "timeout", "retries", "start_period"}
SPAN = re.compile(r"(\d+(ms|s|m|h))+")
FILES = sorted((ROOT / "examples").glob("*/compose.yaml"))


def load(path):
    return YAML(typ="safe", pure=True).load(path.read_text())


def test_every_example_has_one():
    assert {path.parent.name for path in FILES} >= {"medallion", "retail", "windows"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_the_file_is_one_that_compose_takes(path):
    file = load(path)
    assert set(file) <= TOP and re.fullmatch(r"[a-z0-9][a-z0-9_-]*", file["name"])
    volumes = file.get("volumes") or {}
    used = set()
    for name, service in file["services"].items():
        assert set(service) <= SERVICE, (name, set(service) - SERVICE)
        assert re.fullmatch(r"[\w./-]+:[\w.-]+", service["image"]), f"{name}: no pinned image"
        assert not service["image"].endswith(":latest")
        for port in service.get("ports", []):
            assert re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port), (name, port)
        for value in (service.get("environment") or {}).values():
            assert isinstance(value, (str, int)) and not isinstance(value, bool), (name, value)
        for other, wish in (service.get("depends_on") or {}).items():
            assert other in file["services"]
            if wish["condition"] == "service_healthy":
                assert "healthcheck" in file["services"][other]
        for mount in service.get("volumes", []):
            source = re.split(r":(?![^{]*})", mount)[0]
            if "/" not in source:
                used.add(source)
        check_health(service.get("healthcheck"))
    assert used == set(volumes), "volumes that are declared and volumes that are used"


def check_health(check):
    if check is None:
        return
    assert set(check) <= HEALTHCHECK and check["test"][0] in ("CMD", "CMD-SHELL")
    for key in ("interval", "timeout", "start_period"):
        assert key not in check or SPAN.fullmatch(check[key]), (key, check[key])
    assert isinstance(check["retries"], int)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_kafka_tells_each_client_an_address_that_it_reaches(path):
    kafka = load(path)["services"]["kafka"]
    settings = kafka["environment"]
    listeners = addresses(settings["KAFKA_LISTENERS"])
    advertised = addresses(settings["KAFKA_ADVERTISED_LISTENERS"])
    protocols = dict(
        pair.split(":") for pair in settings["KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"].split(",")
    )
    assert set(listeners) == set(protocols)
    controller = settings["KAFKA_CONTROLLER_LISTENER_NAMES"]
    assert set(advertised) == set(listeners) - {controller}
    assert settings["KAFKA_INTER_BROKER_LISTENER_NAME"] in advertised
    published = {port.split(":")[1]: port.split(":")[2] for port in kafka["ports"]}
    for name, (host, port) in advertised.items():
        inside = listeners[name][1]
        assert (
            published.get(port) == inside
            if host == "localhost"
            else (host, port) == ("kafka", inside)
        )
    assert settings["KAFKA_CONTROLLER_QUORUM_VOTERS"].endswith(":" + listeners[controller][1])
    assert len(settings["CLUSTER_ID"]) == 22


def addresses(text):
    found = re.findall(r"(\w+)://([\w.]*):(\d+)", text)
    return {name: (host, port) for name, host, port in found}


def test_who_makes_the_topic():
    """Four partitions for the medallion; the topic of the windows job comes by itself."""
    medallion = load(ROOT / "examples" / "medallion" / "compose.yaml")["services"]
    assert "--partitions=4" in medallion["topic"]["command"]
    assert medallion["kafka"]["environment"]["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] == "false"
    windows = load(ROOT / "examples" / "windows" / "compose.yaml")["services"]
    assert "topic" not in windows
    assert windows["kafka"]["environment"]["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] == "true"
