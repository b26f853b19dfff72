#pragma once
// What a column-file writer is told. The parquet folder writes and reads such files.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "connect/table.h"
#include "record/type.h"

namespace weir::connect {

/// Settings of data files, most of them read from the table's properties.
struct FileSettings {
  std::string compression = "zstd";  // zstd, snappy, gzip, lz4, none
  int compression_level = 1;
  std::int64_t row_group_bytes = 128LL << 20;  // uncompressed, in memory
  std::int64_t target_file_bytes = 512LL << 20;
  std::string default_metrics_mode = "truncate(16)";  // none, counts, truncate(n), full
  std::map<std::string, std::string> metrics_modes;   // by column name
};

/// From `write.parquet.*` and `write.metadata.metrics.*`; unknown values fall back to the defaults.
FileSettings SettingsFrom(const std::map<std::string, std::string>& properties);

}  // namespace weir::connect
