"""Nessie, a REST catalog that commits several tables in one step. Whatever anybody could ever see
of it is a commit in its history, so all of them are looked at: none holds a part of an epoch, while
the program and the server are killed, answers are lost and another writer is at one of the tables.
"""

import functools
import json
import urllib.request

import pyarrow.fs
import pytest
from pyiceberg.catalog import load_catalog

from cutter import Cutter
from job import Job
from service import server, service
from trouble import RAW, Intruder, kill_again_and_again

KEYS = ", access_key: weirkey, secret_key: weirsecret"


class Nessie:
    def __init__(self, folder, store):
        self.folder, self.store = folder, store
        self.warehouse = ("--s3", store, "--warehouse", "s3://weir/nessie")
        self.url = service("nessie", "start", "--dir", folder, *self.warehouse)

    def restart(self):
        service("nessie", "stop", "--dir", self.folder, "--kill")
        service("nessie", "start", "--dir", self.folder, *self.warehouse)

    def get(self, path):
        with urllib.request.urlopen(f"{self.url}/api/v2/{path}", timeout=60) as answer:
            return json.load(answer)

    def history(self):
        """Hashes of all commits, newest first."""
        hashes, more = [], ""
        while True:
            page = self.get(f"trees/main/history?max-records=100{more}")
            hashes += [entry["commitMeta"]["hash"] for entry in page["logEntries"]]
            if not page["hasMore"]:
                return hashes
            more = f"&page-token={page['token']}"

    def tables(self, commit, names):
        """Where the metadata of tables was as of a commit, of those that were there."""
        asked = "&".join(f"key={name}" for name in names)
        found = self.get(f"trees/@{commit}/contents?{asked}")["contents"]
        return {".".join(one["key"]["elements"]): one["content"]["metadataLocation"]
                for one in found}

    def table(self, name):
        catalog = load_catalog("lake", type="rest", uri=f"{self.url}/iceberg")
        return catalog.load_table(name)

    @functools.cache
    def metadata(self, location):
        files = pyarrow.fs.S3FileSystem(access_key="weirkey", secret_key="weirsecret",
                                        endpoint_override=self.store, region="us-east-1")
        with files.open_input_stream(location.removeprefix("s3://")) as stream:
            return json.loads(stream.read())

    def progress(self, location):
        text = self.metadata(location)["properties"].get("weir.progress.shop", "{}")
        return json.loads(text).get("partitions")


@pytest.fixture
def nessie(tmp_path):
    with server("s3", tmp_path / "s3") as store:
        made = Nessie(tmp_path / "nessie", store)
        yield made
        service("nessie", "wipe", "--dir", made.folder)


def test_no_commit_of_the_history_holds_a_part_of_an_epoch(nessie, tmp_path):
    relay = Cutter(int(nessie.url.split(":")[-1]), lambda data: b"/transactions/commit" in data)
    table = "retail.events"
    tables = [table, f"{table}_raw"]
    uri = f"http://127.0.0.1:{relay.own_port}/iceberg"
    job = Job(tmp_path, None, table, max_rows=100, tables=RAW,
              keys=f"catalog: {{rest: {{uri: {uri}}}}}")
    job.pipeline.write_text(
        job.pipeline.read_text() +
        f"s3: {{endpoint: {nessie.store}, region: us-east-1, path_style: true{KEYS}}}\n")
    job.generate(100)
    job.must("run --once")
    with Intruder(lambda: nessie.table(tables[1]), pause=0.3) as intruder:
        kill_again_and_again(job, nessie.restart, relay, least=3.0, loss=0.5)
    job.must("verify")
    assert job.rows() == job.events
    states = [nessie.tables(commit, tables) for commit in nessie.history()]
    shown = [[nessie.progress(state[name]) for name in tables]
             for state in states if len(state) == len(tables)]
    epochs = {json.dumps(one) for one, _ in shown}
    print(f"\n{len(states)} commits, {len(epochs)} states of the job, "
          f"{intruder.changes} changes of others, {relay.lost} answers lost")
    assert [pair for pair in shown if pair[0] != pair[1]] == []
    assert len(epochs) > 10 and intruder.changes > 0 and relay.lost > 0
    assert intruder.lost_nothing()
    relay.close()
