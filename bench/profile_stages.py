"""Where a run of weir spends its CPU time: samples of `perf`, each given to the stage whose code is
innermost in its stack. Memory that is copied or made for a stage counts as that stage."""

import collections
import os
import re
import shutil

import measure

# Stage -> what the names of its functions look like. The first stage that knows a frame has it.
STAGES = {
    "fetch": r"rd_kafka|rd_slice|rd_crc32c|LZ4_|weir::kafka::",
    "compress": r"ZSTD_|HUF_|FSE_|HIST_|PageWriter::Compress",
    "build": r"weir::Column::|weir::Dictionary::|weir::parquet::RowBuffer",
    "encode": r"weir::parquet::|parquet::|crc32",
    "parse": r"weir::codec::",
    "validate": r"weir::stream::",
    "write": r"weir::io::",
    "commit": r"weir::iceberg::|weir::state::|weir::db::|weir::avro::|sqlite3|ApplyLane|Applier",
}
PATTERNS = {stage: re.compile(pattern) for stage, pattern in STAGES.items()}
SAMPLES_PER_S = 997


def stage_of(thread, frames):
    if thread.startswith("rdk:"):
        return "fetch"
    for frame in frames:
        for stage, pattern in PATTERNS.items():
            if pattern.search(frame):
                return stage
    return "other"


def samples(text):
    """Thread and frames, innermost first, of each sample that `perf script` printed."""
    for block in text.split("\n\n"):
        lines = block.splitlines()
        if lines:
            yield lines[0].strip(), [line.split(None, 1)[-1] for line in lines[1:]]


def run(command, folder):
    """Percent of the CPU samples by stage. One core, so that no thread waits for another."""
    if not shutil.which("perf"):
        raise measure.Failed("perf is not there: install linux-perf")
    data = os.path.join(folder, "perf.data")
    measure.run(["perf", "record", "--quiet", "--event", "cpu-clock", "--freq", SAMPLES_PER_S,
                 "--call-graph", "dwarf,4096", "--output", data, "--", *command],
                log=os.path.join(folder, "record.log"), cores=1, cwd=folder)
    text = measure.run(["perf", "script", "--no-inline", "--fields", "comm,ip,sym", "--input",
                        data], log=os.path.join(folder, "script.log"), cwd=folder).output
    counts = collections.Counter(stage_of(thread, frames) for thread, frames in samples(text))
    total = sum(counts.values())
    if not total:
        raise measure.Failed(f"perf saw nothing; see {folder}")
    return {stage: round(100 * counts[stage] / total, 1) for stage in [*STAGES, "other"]}
