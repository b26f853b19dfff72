"""Lakes to run a job on, named FORMAT/STORE/CATALOG: what a pipeline file says of one, and how
readers that share nothing with the program see its tables.

    format   iceberg, delta, both
    store    folder; s3: a real object store on this machine, for the tables and the state
    catalog  sqlite, folder, postgres, rest; none for Delta tables, which are found by their folders

The servers of a process are started when the first lake needs them, and taken away at its end. Each
lake has a part of them of its own; a REST catalog cannot be divided, so it is emptied instead, and
only the newest lake of a process can be used.
"""

import atexit
import functools
import itertools
import os
import pathlib
import re
import shutil
import tempfile

import pyarrow.fs
from deltalake import DeltaTable
from pyiceberg.catalog import load_catalog
from pyiceberg.table import StaticTable

from service import service

FORMATS = ("iceberg", "delta", "both")
STORES = ("folder", "s3")
CATALOGS = ("sqlite", "folder", "postgres", "rest", "none")
KEY, SECRET, REGION = "weirkey", "weirsecret", "us-east-1"
numbers = itertools.count(1)


def is_possible(form, _store, catalog):
    """What a pipeline file may say: docs/CONFIG.md, lake."""
    if form == "delta" or catalog == "none":
        return form == "delta" and catalog == "none"
    return form == "iceberg" or catalog in ("sqlite", "postgres")


def everything_possible():
    return [c for c in itertools.product(FORMATS, STORES, CATALOGS) if is_possible(*c)]


def chosen():
    """The lake that a suite is to run on."""
    return os.environ.get("WEIR_LAKE", "iceberg/folder/sqlite")


@functools.cache
def server(name, *options):
    """The address of the one server of this kind that this process has."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"weir-{name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(service, name, "wipe", "--dir", folder)
    return service(name, "start", "--dir", folder, *options)


class Lake:
    def __init__(self, name, folder):
        """folder: absolute and of this lake alone, for what is on this machine."""
        self.name, self.folder = name, pathlib.Path(folder)
        self.format, self.store, self.catalog = name.split("/")
        assert is_possible(self.format, self.store, self.catalog), name
        self.own = f"run{os.getpid()}_{next(numbers)}"
        self.warehouse = str(self.folder / "lake")
        self.state = str(self.folder / "state")
        if self.store == "s3":
            self.endpoint = server("s3")
            self.warehouse = f"s3://weir/{self.own}/lake"
            self.state = f"s3://weir/{self.own}/state"
            os.environ.update(WEIR_TEST_KEY=KEY, WEIR_TEST_SECRET=SECRET)  # for the program
        if self.catalog in ("postgres", "rest"):
            self.database = server("postgres")
        if self.catalog == "rest":
            self.start_rest()

    def start_rest(self):
        options = ["--database", self.database]
        if self.store == "s3":
            options += ["--s3", self.endpoint, "--warehouse", "s3://weir/rest"]
        self.uri = server("iceberg-rest", *options)
        catalog = self.pyiceberg()
        for namespace in catalog.list_namespaces():
            for table in catalog.list_tables(namespace):
                catalog.drop_table(table)

    def catalog_keys(self):
        return {
            "none": "", "folder": ", catalog: {folder: true}",
            "sqlite": f', catalog: {{sql: "sqlite:{self.folder}/lake/catalog.db"}}',
            "postgres": f', catalog: {{sql: "{getattr(self, "database", "")}"}}',
            "rest": f', catalog: {{rest: {{uri: "{getattr(self, "uri", "")}"}}}}',
        }[self.catalog]

    def pipeline_keys(self):
        """The keys `state`, `lake` and, where there is one, `s3`, as lines of a pipeline file."""
        where = "" if self.catalog == "rest" else f", warehouse: {self.warehouse}"
        text = (f"state: {self.state}\n"
                f"lake: {{name: {self.own}, format: {self.format}{where}{self.catalog_keys()}}}\n")
        if self.store == "s3":
            text += (f"s3: {{endpoint: {self.endpoint}, region: {REGION}, "
                     "access_key: '${WEIR_TEST_KEY}', secret_key: '${WEIR_TEST_SECRET}'}\n")
        return text

    def settle(self, text):
        """A pipeline file that names this lake in place of its own."""
        rest = re.sub(r"^(state|lake|s3):.*\n(?: +.*\n)*", "", text, flags=re.M)
        return rest + self.pipeline_keys()

    # --- as others see it ---

    def pyiceberg(self):
        properties = {}
        if self.store == "s3":
            properties = {"s3.endpoint": self.endpoint, "s3.access-key-id": KEY,
                          "s3.secret-access-key": SECRET, "s3.region": REGION,
                          "py-io-impl": "pyiceberg.io.pyarrow.PyArrowFileIO"}
        if self.catalog == "folder":
            return FolderCatalog(self, properties)
        if self.catalog == "rest":
            return load_catalog("lake", type="rest", uri=self.uri, **properties)
        database = f"sqlite:///{self.folder}/lake/catalog.db"
        if self.catalog == "postgres":
            database = self.database.replace("postgresql:", "postgresql+psycopg2:")
        warehouse = self.warehouse if self.store == "s3" else f"file://{self.warehouse}"
        return load_catalog(self.own, type="sql", uri=database,
                            warehouse=warehouse, **properties)

    def delta(self, table, version=None):
        options = None
        if self.store == "s3":
            options = {"AWS_ENDPOINT_URL": self.endpoint, "AWS_ACCESS_KEY_ID": KEY,
                       "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
                       "AWS_ALLOW_HTTP": "true"}
        return DeltaTable(f"{self.warehouse}/{table.replace('.', '/')}", version=version,
                          storage_options=options)

    def tables(self):
        """The names of the tables of an Iceberg catalog."""
        catalog = self.pyiceberg()
        return {".".join(name) for namespace in catalog.list_namespaces()
                for name in catalog.list_tables(namespace)}

    def sides(self, table):
        """The rows of a table by each of its formats, as Arrow tables."""
        found = {}
        if self.format != "delta":
            found["iceberg"] = self.pyiceberg().load_table(table).scan().to_arrow()
        if self.format != "iceberg":
            found["delta"] = self.delta(table).to_pyarrow_table()
        return found

    def files(self):
        """The file system that the tables and the state are in, and the paths of both in it."""
        if self.store == "s3":
            system = pyarrow.fs.S3FileSystem(endpoint_override=self.endpoint, access_key=KEY,
                                             secret_key=SECRET, region=REGION)
            return system, self.warehouse[len("s3://"):], self.state[len("s3://"):]
        return pyarrow.fs.LocalFileSystem(), self.warehouse, self.state

    def lose_state(self):
        system, _, state = self.files()
        system.delete_dir(state)

    def read_state(self, folder):
        """The objects of a folder of the state, by name."""
        system, _, state = self.files()
        found = system.get_file_info(
            pyarrow.fs.FileSelector(f"{state}/{folder}", allow_not_found=True, recursive=True))
        texts = {}
        for info in found:
            if info.type != pyarrow.fs.FileType.File:
                continue
            try:
                with system.open_input_stream(info.path) as file:
                    texts[info.path] = file.read().decode(errors="replace")
            except FileNotFoundError:  # collected meanwhile
                continue
        return texts


class FolderCatalog:
    """As Iceberg's Hadoop catalog finds tables."""

    def __init__(self, lake, properties):
        self.lake, self.properties = lake, properties

    def load_table(self, name):
        system, warehouse, _ = self.lake.files()
        folder = f"{warehouse}/{name.replace('.', '/')}/metadata"
        versions = {int(found[1]): info.path
                    for info in system.get_file_info(pyarrow.fs.FileSelector(folder))
                    if (found := re.fullmatch(r"v(\d+)\.metadata\.json", info.base_name))}
        scheme = "s3" if self.lake.store == "s3" else "file"
        return StaticTable.from_metadata(f"{scheme}://{versions[max(versions)]}", self.properties)
