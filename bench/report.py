"""How results are shown: build/bench.json and a table on the terminal, with the targets beside."""

import operator

# figure -> what it is to be
TARGETS = {
    "retail.ratio_to_spark_per_cpu_s": ">= 12",
    "retail.ratio_to_spark_none_per_cpu_s": ">= 12",
    "retail.ratio_to_duckdb_per_cpu_s": ">= 2",
    "retail.ratio_to_duckdb_per_cpu_s_one_core": ">= 2",
    "retail.rss_mib": "<= 512",
    "event_time.gold_to_silver_cpu": "<= 1.25",
    "event_time.silver_to_spark_per_cpu_s": ">= 30",
    "event_time.silver_to_duckdb_per_cpu_s": ">= 2",
    "event_time.windows_to_spark_per_cpu_s": ">= 6",
    "event_time.medallion_to_spark_per_cpu_s": ">= 40",
    "restore.to_commit_s": "<= 10",
    "startup.first_line_ms": "< 100",
    "recovery.to_commit_s": "<= 2",
    "freshness.p50_s": "<= 0.8",
    "freshness.p99_s": "<= 1.5",
    "freshness.cores": "<= 0.25",
    "commits.p99_ms": "<= 20",
    "commits.p50_ratio": "<= 1.25",
    "commits.metadata_ratio": "<= 1.25",
    "commit_work.iceberg_p99_ms": "<= 20",
    "commit_work.delta_p99_ms": "<= 10",
    "commit_work.iceberg_cpu_ratio": "<= 1.25",
    "commit_work.delta_cpu_ratio": "<= 1.25",
    "partitions.folder_mib": "<= 1024",
    "partitions.s3_mib": "<= 1024",
    "uploads.hidden_share": ">= 0.5",
}
RELATIONS = {">=": operator.ge, "<=": operator.le, "<": operator.lt}
COLUMNS = ["engine", "cores", "wall_s", "cpu_s", "events_per_s", "events_per_cpu_s", "peak_mib",
           "bytes_per_row", "files", "load"]


def meets(number, target):
    """Whether a figure is what a target such as ">= 12" says."""
    relation, bound = target.split()
    return RELATIONS[relation](number, float(bound))


def flat(results):
    """The results with the summary of each scenario one level up: retail.rss_mib, ..."""
    flattened = {}
    for name, value in results.items():
        if isinstance(value, dict) and "summary" in value:
            rest = {key: part for key, part in value.items() if key != "summary"}
            value = {**value["summary"], **rest}
        flattened[name] = value
    return flattened


def cell(value):
    if isinstance(value, int) and value >= 10_000:
        return f"{value:,}".replace(",", " ")
    return str(value)


def table(header, rows):
    """Columns as wide as they need to be; all but the first to the right."""
    lines = [header] + [[cell(value) for value in row] for row in rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    return "\n".join("  ".join(text.ljust(width) if at == 0 else text.rjust(width)
                               for at, (text, width) in enumerate(zip(line, widths))).rstrip()
                     for line in lines)


def text(results):
    """The table of the drains, then each summary figure with its target."""
    parts = []
    if "retail" in results:
        rows = [[line.get(name, "") for name in COLUMNS] for line in results["retail"]["lines"]]
        parts.append(table(COLUMNS, rows))
        shares = results["retail"]["stages"]
        parts.append(table(["stage of weir", "% of CPU"], shares.items()))
    if "event_time" in results:
        columns = ["job", *COLUMNS]
        rows = [[line.get(name, "") for name in columns] for line in results["event_time"]["lines"]]
        parts.append(table(columns, rows))
    figures = []
    for name, value in results.items():
        if not isinstance(value, dict) or "summary" not in value:
            continue
        for figure, number in value["summary"].items():
            target = TARGETS.get(f"{name}.{figure}", "")
            verdict = "" if not target else "met" if meets(number, target) else "MISSED"
            figures.append([f"{name}.{figure}", number, target, verdict])
    if figures:
        parts.append(table(["figure", "value", "target", ""], figures))
    return "\n\n".join(parts)
