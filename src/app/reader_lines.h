#pragma once
// ReaderLines: shell lines that open a table in other programs. They hold for the table as it is
// now: docs/CLI.md, `weir demo`.

#include <string>
#include <vector>

#include "config/pipeline_spec.h"

namespace weir::app {

/// A script for DuckDB that makes a view over exactly these files, and no other that may lie around
/// them: `view` selects from them as plain Parquet, so no extension and no network is needed.
std::string DuckDbScript(const std::string& table, const std::string& view,
                         std::int64_t snapshot_id, const std::vector<std::string>& files);

/// Counts events by type. script: what DuckDbScript made.
std::string DuckDbLine(const std::string& script_path, const std::string& view);
std::string PyIcebergLine(const config::LakeSpec& lake, const std::string& table);
std::string SparkLine(const config::LakeSpec& lake, const std::string& table);
/// Of a Delta table, by its location.
std::string DeltaRsLine(const std::string& location);
std::string DeltaSparkLine(const std::string& location);

}  // namespace weir::app
