#include <algorithm>

#include "iceberg/append.h"

namespace weir::iceberg {
namespace {

template <typename Map, typename Set>
void ForEach(const std::optional<Map>& map, connect::DataFile& file, Set&& set) {
  if (!map) return;
  for (const auto& [id, value] : *map) set(file.columns[id], value);
}

std::string AbsoluteLocation(const std::string& path, const std::string& table_location) {
  if (path.starts_with('/')) return FileLocation(path);
  if (path.find(":/") != std::string::npos) return path;
  return table_location + "/" + path;
}

}  // namespace

ManifestEntry EntryOf(const connect::DataFile& file, const std::string& table_location) {
  ManifestEntry entry;
  entry.status = EntryStatus::kAdded;
  entry.path = AbsoluteLocation(file.path, table_location);
  entry.format = "PARQUET";
  entry.partition = file.partition;
  entry.record_count = file.record_count;
  entry.file_bytes = file.file_bytes;
  entry.sort_order_id = file.sort_order_id;
  if (!file.split_offsets.empty()) entry.split_offsets = file.split_offsets;
  entry.column_sizes.emplace();
  entry.value_counts.emplace();
  entry.null_counts.emplace();
  entry.nan_counts.emplace();
  entry.lower_bounds.emplace();
  entry.upper_bounds.emplace();
  for (const auto& [id, column] : file.columns) {
    entry.column_sizes->emplace_back(id, column.compressed_bytes);
    entry.value_counts->emplace_back(id, column.value_count);
    entry.null_counts->emplace_back(id, column.null_count);
    if (column.nan_count) entry.nan_counts->emplace_back(id, *column.nan_count);
    if (column.lower) entry.lower_bounds->emplace_back(id, *column.lower);
    if (column.upper) entry.upper_bounds->emplace_back(id, *column.upper);
  }
  return entry;
}

connect::DataFile DataFileOf(const ManifestEntry& entry, int spec_id,
                             const std::string& table_location) {
  connect::DataFile file;
  file.path = Below(table_location, entry.path).value_or(entry.path);
  file.spec_id = spec_id;
  file.sort_order_id = entry.sort_order_id.value_or(0);
  file.partition = entry.partition;
  file.record_count = entry.record_count;
  file.file_bytes = entry.file_bytes;
  file.split_offsets = entry.split_offsets.value_or(std::vector<std::int64_t>());
  using Column = connect::ColumnMetrics;
  ForEach(entry.column_sizes, file, [](Column& c, std::int64_t n) { c.compressed_bytes = n; });
  ForEach(entry.value_counts, file, [](Column& c, std::int64_t n) { c.value_count = n; });
  ForEach(entry.null_counts, file, [](Column& c, std::int64_t n) { c.null_count = n; });
  ForEach(entry.nan_counts, file, [](Column& c, std::int64_t n) { c.nan_count = n; });
  ForEach(entry.lower_bounds, file, [](Column& c, const std::string& b) { c.lower = b; });
  ForEach(entry.upper_bounds, file, [](Column& c, const std::string& b) { c.upper = b; });
  return file;
}

}  // namespace weir::iceberg
