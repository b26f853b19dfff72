"""How results are shown: build/bench.json and a table on the terminal, with the targets beside."""

# figure -> (what a target says, whether a value meets it)
TARGETS = {
    "retail.ratio_to_spark_per_cpu_s": (">= 12", lambda value: value >= 12),
    "retail.ratio_to_spark_none_per_cpu_s": (">= 12", lambda value: value >= 12),
    "retail.ratio_to_duckdb_per_cpu_s": (">= 2", lambda value: value >= 2),
    "retail.ratio_to_duckdb_per_cpu_s_one_core": (">= 2", lambda value: value >= 2),
    "retail.rss_mib": ("<= 512", lambda value: value <= 512),
    "event_time.gold_to_silver_cpu": ("<= 1.25", lambda value: value <= 1.25),
    "event_time.silver_to_spark_per_cpu_s": (">= 30", lambda value: value >= 30),
    "event_time.silver_to_duckdb_per_cpu_s": (">= 2", lambda value: value >= 2),
    "event_time.windows_to_spark_per_cpu_s": (">= 6", lambda value: value >= 6),
    "event_time.medallion_to_spark_per_cpu_s": (">= 40", lambda value: value >= 40),
    "restore.to_commit_s": ("<= 10", lambda value: value <= 10),
    "startup.first_line_ms": ("< 100", lambda value: value < 100),
    "recovery.to_commit_s": ("<= 2", lambda value: value <= 2),
    "freshness.p50_s": ("<= 0.8", lambda value: value <= 0.8),
    "freshness.p99_s": ("<= 1.5", lambda value: value <= 1.5),
    "freshness.cores": ("<= 0.25", lambda value: value <= 0.25),
    "commits.p99_ms": ("<= 20", lambda value: value <= 20),
    "commits.p50_ratio": ("<= 1.25", lambda value: value <= 1.25),
    "commits.metadata_ratio": ("<= 1.25", lambda value: value <= 1.25),
    "commit_work.iceberg_p99_ms": ("<= 20", lambda value: value <= 20),
    "commit_work.delta_p99_ms": ("<= 10", lambda value: value <= 10),
    "commit_work.iceberg_cpu_ratio": ("<= 1.25", lambda value: value <= 1.25),
    "commit_work.delta_cpu_ratio": ("<= 1.25", lambda value: value <= 1.25),
    "partitions.folder_mib": ("<= 1024", lambda value: value <= 1024),
    "partitions.s3_mib": ("<= 1024", lambda value: value <= 1024),
    "uploads.hidden_share": (">= 0.5", lambda value: value >= 0.5),
}
COLUMNS = ["engine", "cores", "wall_s", "cpu_s", "events_per_s", "events_per_cpu_s", "peak_mib",
           "bytes_per_row", "files", "load"]


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
            target, meets = TARGETS.get(f"{name}.{figure}", ("", None))
            verdict = "" if meets is None else "met" if meets(number) else "MISSED"
            figures.append([f"{name}.{figure}", number, target, verdict])
    if figures:
        parts.append(table(["figure", "value", "target", ""], figures))
    return "\n\n".join(parts)
