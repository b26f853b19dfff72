#pragma once
// BronzeSource: a log that is read from a bronze table instead: the same records at the same
// offsets, with the ingestion times and watermark floors that were decided when they came.
//
// The files are fixed when the replay is planned. Memory holds two row groups, or all of a group of
// files that has to be merged, for which there is a limit. Reads ahead on a thread of its own. A
// record that the table holds twice is read once. Errors: those of the files, and kUnsupported for
// files that are too large to merge.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "connect/log_source.h"
#include "engine/bronze_index.h"

namespace weir::engine {

struct BronzeLog {
  connect::TopicInfo topic;  // with the bounds that are to be read
  Schema schema;             // of the table
  std::vector<BronzeFile> files;
  std::size_t merge_bytes = std::size_t{256} << 20;  // largest group of files to merge
};

/// kInvalidInput WEIR0402 when the table lacks a column that a replay needs.
Result<std::unique_ptr<connect::LogSource>> OpenBronze(BronzeLog log, BronzeOpener open);

}  // namespace weir::engine
