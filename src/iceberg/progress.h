#pragma once
// Progress of a pipeline in a table, P(T) of docs/PROTOCOL.md: its place in the metadata, its text,
// and whether the table's history still contains the snapshot that it was written with.

#include <optional>
#include <string>

#include "base/result.h"
#include "connect/table.h"
#include "iceberg/metadata.h"

namespace weir::iceberg {

/// "weir.progress.<pipeline>": a table property and an entry of the snapshot's summary.
std::string ProgressKey(const std::string& pipeline);
/// "weir-<pipeline>": the tag that keeps the newest snapshot of ours from expiry by others.
std::string ProgressTag(const std::string& pipeline);

std::string ProgressToText(const connect::Progress& progress);
/// kCorrupt WEIR0405.
Result<connect::Progress> ProgressFromText(const std::string& text);

/// nullopt when the table shows none. kCorrupt WEIR0405 when it cannot be read.
Result<std::optional<connect::Progress>> ReadProgress(const TableMetadata& metadata,
                                                      const std::string& pipeline);

/// docs/PROTOCOL.md, "Rollback by an operator or a foreign tool".
connect::Lineage LineageOf(const TableMetadata& metadata, const std::string& pipeline,
                           const connect::Progress& progress);

}  // namespace weir::iceberg
