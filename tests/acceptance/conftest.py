"""A Kafka broker for the checks that ask for one."""

import pytest

from service import server


@pytest.fixture(scope="session")
def broker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broker")
    with server("kafka", folder, "--set", "auto.create.topics.enable=true") as address:
        yield address
