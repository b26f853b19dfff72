#include "connect/column_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace weir::connect {

namespace {

using Properties = std::map<std::string, std::string>;

constexpr std::string_view kColumnMode = "write.metadata.metrics.column.";

bool ReadNumber(const Properties& properties, const char* name, std::int64_t least,
                std::int64_t& value) {
  const auto found = properties.find(name);
  if (found == properties.end()) return false;
  std::int64_t number = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [rest, error] = std::from_chars(found->second.data(), end, number);
  if (error != std::errc() || rest != end || number < least) return false;
  value = number;
  return true;
}

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// The engines' spellings of what we can write; empty for a codec that we cannot.
std::string CompressionOf(const std::string& property) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kCodecs{
      {{"zstd", "zstd"},
       {"snappy", "snappy"},
       {"gzip", "gzip"},
       {"lz4", "lz4"},
       {"lz4_raw", "lz4"},
       {"uncompressed", "none"},
       {"none", "none"}}};
  const std::string name = LowerCase(property);
  for (const auto& [spelling, codec] : kCodecs) {
    if (name == spelling) return std::string(codec);
  }
  return {};
}

}  // namespace

FileSettings SettingsFrom(const Properties& properties) {
  FileSettings settings;
  if (const auto codec = properties.find("write.parquet.compression-codec");
      codec != properties.end()) {
    if (std::string name = CompressionOf(codec->second); !name.empty()) {
      settings.compression = std::move(name);
    }
  }
  // gzip's own scale ends at 9, zstd's at 22. Level 1 is right for zstd, gzip's usual one is 6.
  if (settings.compression == "gzip") settings.compression_level = 6;
  std::int64_t level = 0;
  if (ReadNumber(properties, "write.parquet.compression-level", 1, level)) {
    settings.compression_level =
        static_cast<int>(std::min<std::int64_t>(level, settings.compression == "gzip" ? 9 : 22));
  }
  constexpr std::int64_t kLeast = 1024;  // smaller sizes are slips of the pen
  ReadNumber(properties, "write.parquet.row-group-size-bytes", kLeast, settings.row_group_bytes);
  ReadNumber(properties, "write.parquet.page-size-bytes", kLeast, settings.page_bytes);
  ReadNumber(properties, "write.parquet.dict-size-bytes", kLeast, settings.dictionary_bytes);
  ReadNumber(properties, "write.target-file-size-bytes", kLeast, settings.target_file_bytes);
  if (const auto mode = properties.find("write.metadata.metrics.default");
      mode != properties.end()) {
    settings.default_metrics_mode = LowerCase(mode->second);
  }
  std::int64_t columns = 0;
  if (ReadNumber(properties, "write.metadata.metrics.max-inferred-column-defaults", 0, columns)) {
    settings.max_default_metrics = static_cast<int>(std::min<std::int64_t>(columns, 1'000'000));
  }
  for (auto it = properties.lower_bound(std::string(kColumnMode));
       it != properties.end() && it->first.starts_with(kColumnMode); ++it) {
    settings.metrics_modes[it->first.substr(kColumnMode.size())] = LowerCase(it->second);
  }
  return settings;
}

}  // namespace weir::connect
