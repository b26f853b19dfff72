import itertools
import os
import tempfile

import pytest

from lakes import LAKES

numbers = itertools.count(1)


def pytest_generate_tests(metafunc):
    """Tests of `lake` run for every kind; of `shared` where others than Spark can write too; of
    `served` where the catalog is a server; of `database` where it is an SQL catalog."""
    kinds = {name: kind for name, kind in LAKES.items()
             if name in os.environ.get("LAKES", " ".join(LAKES)).split()}
    asked = metafunc.fixturenames
    if "served" in asked:
        kinds = {name: kind for name, kind in kinds.items() if hasattr(kind, "stop")}
    if "shared" in asked:
        kinds = {name: kind for name, kind in kinds.items() if kind.foreign_writers}
    if "database" in asked:
        kinds = {name: kind for name, kind in kinds.items() if kind.is_database}
    if "lake" in asked:
        metafunc.parametrize("lake", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def lake(request):
    """One of each kind for all tests; each test makes tables of its own."""
    # The server of a database runs as another user, who could not reach pytest's own folder.
    made = LAKES[request.param](tempfile.mkdtemp(prefix=f"weir-{request.param}-"))
    yield made
    made.close()


@pytest.fixture
def shared(lake):
    return lake


@pytest.fixture
def served(lake):
    return lake


@pytest.fixture
def database(lake):
    return lake


@pytest.fixture
def weir(lake):
    driver = lake.driver()
    yield driver
    driver.close()


@pytest.fixture
def name():
    return f"retail.events{next(numbers)}"
