"""Lakes of every kind of catalog, for tests that say the same of all of them.

A lake knows how the driver, the program and PyIceberg open it. Servers are real ones, started below
a folder and taken away by close().
"""

import pathlib
import shutil

from pyiceberg.catalog import load_catalog
from pyiceberg.table import StaticTable

from driver import Driver
from service import service


class Lake:
    foreign_writers = True  # others than Spark can write there too
    is_database = False  # an SQL catalog, whose rows can be looked at

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.warehouse = self.folder / "warehouse"
        self.start()

    def start(self):
        pass

    def driver(self):
        return Driver(**self.driver_options())

    def table(self, name):
        return self.pyiceberg().load_table(name)

    def restart(self, kill=True):
        """Ends the catalog's server and starts it again."""

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class SqliteLake(Lake):
    is_database = True

    def driver_options(self):
        return {"catalog": "sql", "name": "lake", "database": str(self.folder / "catalog.db"),
                "warehouse": str(self.warehouse)}

    def pyiceberg(self):
        return load_catalog("lake", type="sql", uri=f"sqlite:///{self.folder}/catalog.db",
                            warehouse=f"file://{self.warehouse}")

    def pipeline_keys(self):
        return f'warehouse: {self.warehouse}, catalog: {{sql: "sqlite:{self.folder}/catalog.db"}}'

    def spark_options(self):
        return {"type": "jdbc", "jdbc.schema-version": "V1",
                "warehouse": f"file://{self.warehouse}",
                "uri": f"jdbc:sqlite:{self.folder}/catalog.db?busy_timeout=30000"}


class PostgresLake(Lake):
    is_database = True

    def start(self):
        self.url = service("postgres", "start", "--dir", self.folder / "pg")

    def driver_options(self):
        return {"catalog": "postgres", "name": "lake", "database": self.url,
                "warehouse": str(self.warehouse)}

    def pyiceberg(self):
        return load_catalog("lake", type="sql", warehouse=f"file://{self.warehouse}",
                            uri=self.url.replace("postgresql:", "postgresql+psycopg2:"))

    def pipeline_keys(self):
        return f'warehouse: {self.warehouse}, catalog: {{sql: "{self.url}"}}'

    def spark_options(self):
        place = self.url.split("@")[1]
        return {"type": "jdbc", "jdbc.schema-version": "V1",
                "warehouse": f"file://{self.warehouse}",
                "uri": f"jdbc:postgresql://{place}", "jdbc.user": "weir"}

    def stop(self):
        service("postgres", "stop", "--dir", self.folder / "pg", "--kill")

    def restart(self, kill=True):
        service("postgres", "stop", "--dir", self.folder / "pg", *(["--kill"] if kill else []))
        service("postgres", "start", "--dir", self.folder / "pg")

    def close(self):
        service("postgres", "wipe", "--dir", self.folder / "pg")
        super().close()


class RestLake(PostgresLake):
    """Apache's reference server, with PostgreSQL behind it."""

    is_database = False

    def start(self):
        super().start()
        self.warehouse = self.folder / "rest" / "warehouse"
        self.uri = self.start_server()

    def start_server(self):
        return service("iceberg-rest", "start", "--dir", self.folder / "rest", "--database",
                       self.url)

    def driver_options(self):
        return {"catalog": "rest", "uri": self.uri}

    def pyiceberg(self):
        return load_catalog("lake", type="rest", uri=self.uri)

    def pipeline_keys(self):
        return f"catalog: {{rest: {{uri: {self.uri}}}}}"

    def spark_options(self):
        return {"type": "rest", "uri": self.uri}

    def stop(self):
        service("iceberg-rest", "stop", "--dir", self.folder / "rest", "--kill")

    def restart(self, kill=True):
        self.stop()
        self.start_server()

    def close(self):
        service("iceberg-rest", "wipe", "--dir", self.folder / "rest")
        super().close()


class FolderLake(Lake):
    foreign_writers = False

    def driver_options(self):
        return {"catalog": "folder", "warehouse": str(self.warehouse)}

    def table(self, name):
        folder = self.warehouse / name.replace(".", "/") / "metadata"
        newest = max(folder.glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0]))
        return StaticTable.from_metadata(f"file://{newest}")

    def pipeline_keys(self):
        return f"warehouse: {self.warehouse}, catalog: {{folder: true}}"

    def spark_options(self):
        return {"type": "hadoop", "warehouse": f"file://{self.warehouse}"}


LAKES = {"sqlite": SqliteLake, "postgres": PostgresLake, "rest": RestLake, "folder": FolderLake}
