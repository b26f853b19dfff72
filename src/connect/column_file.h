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
  std::string compression = "zstd";            // zstd, snappy, gzip, lz4, none
  int compression_level = 1;                   // of zstd and gzip
  std::int64_t row_group_bytes = 128LL << 20;  // uncompressed, in memory
  std::int64_t page_bytes = 1LL << 20;         // uncompressed
  std::int64_t dictionary_bytes = 2LL << 20;   // a column with a larger dictionary is stored plain
  std::int64_t target_file_bytes = 512LL << 20;
  std::string default_metrics_mode = "truncate(16)";  // none, counts, truncate(n), full
  std::map<std::string, std::string> metrics_modes;   // by column name, "a.b" for nested ones
  int max_default_metrics = 100;  // leaf columns that get metrics without being named
};

/// From `write.parquet.*`, `write.target-file-size-bytes` and `write.metadata.metrics.*`; unknown
/// values fall back to the defaults.
FileSettings SettingsFrom(const std::map<std::string, std::string>& properties);

}  // namespace weir::connect
