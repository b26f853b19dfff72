"""A retail job on the embedded log, whose tables are in a lake of any kind."""

import json
import pathlib
import subprocess

from program import LONGEST, ROOT, WEIR

CONTRACT = ROOT / "examples" / "retail" / "retail_event.yaml"

PIPELINE = """\
pipeline: shop
source: {{spool: ./log, topic: clicks}}
state: ./state
contract: {contract}
lake: {{name: lake, {lake}}}
epoch: {{every: 100ms, max_rows: {max_rows}}}
tables:
  {table}: {{from: valid, partition_by: [day(event_time)], create: {create}{more}}}
  {table}_bad: {{from: invalid}}
{tables}"""


class Job:
    def __init__(self, folder, lake, table, max_rows=200, create="if_missing", more="", tables="",
                 keys=None):
        """tables: lines of more tables; keys: other ones than the lake's own."""
        self.folder, self.table, self.events = pathlib.Path(folder), table, 0
        self.pipeline = self.folder / "pipeline.yaml"
        self.pipeline.write_text(PIPELINE.format(
            contract=CONTRACT, lake=keys or lake.pipeline_keys(), table=table, max_rows=max_rows,
            create=create, more=more, tables=tables.format(table=table)))

    def weir(self, *arguments, timeout=LONGEST):
        words = [w for a in arguments for w in str(a).split()]
        return subprocess.run([WEIR, *words, "-c", self.pipeline], cwd=self.folder, text=True,
                              capture_output=True, timeout=timeout)

    def must(self, *arguments):
        done = self.weir(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def start(self, *arguments):
        log = open(self.folder / "run.log", "ab")
        return subprocess.Popen([WEIR, "run", "-c", self.pipeline, *arguments], cwd=self.folder,
                                stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def generate(self, count):
        """Events without faults, so that each of them is a row."""
        self.must("generate --seed", self.events + 1, "--count", count)
        self.events += count

    def rows(self):
        done = self.must("tables ls --format json")
        return sum(row["rows"] for row in json.loads(done.stdout)
                   if row["table"] in (self.table, self.table + "_bad"))
