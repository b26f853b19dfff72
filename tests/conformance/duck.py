"""DuckDB with extensions that stand in the environment of the tests, not fetched."""

import importlib
import pathlib

import duckdb


def connect(*extensions):
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for name in extensions:
        package = pathlib.Path(importlib.import_module(f"duckdb_extension_{name}").__file__).parent
        connection.execute(f"LOAD '{next(package.glob('**/*.duckdb_extension'))}'")
    return connection
