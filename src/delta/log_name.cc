#include "delta/log_name.h"

#include <charconv>

#include <fmt/format.h>

namespace weir::delta {
namespace {

constexpr std::size_t kDigits = 20;
constexpr int kMostParts = 100'000;

template <typename T>
std::optional<T> Whole(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// "checkpoint.parquet", "checkpoint.0000000001.0000000002.parquet" or one named by a uuid.
std::optional<LogFile> CheckpointOf(std::int64_t version, std::string_view rest) {
  if (rest == "checkpoint.parquet") return LogFile{LogFileKind::kCheckpoint, version};
  constexpr std::string_view kStart = "checkpoint.";
  constexpr std::string_view kEnd = ".parquet";
  if (!rest.starts_with(kStart)) return std::nullopt;
  rest.remove_prefix(kStart.size());
  const bool is_parts = rest.size() == 21 + kEnd.size() && rest.ends_with(kEnd) && rest[10] == '.';
  if (!is_parts) {
    const bool is_v2 = rest.size() > 36 && (rest.ends_with(kEnd) || rest.ends_with(".json"));
    return is_v2 ? std::optional(LogFile{LogFileKind::kV2Checkpoint, version}) : std::nullopt;
  }
  const auto part = Whole<int>(rest.substr(0, 10));
  const auto parts = Whole<int>(rest.substr(11, 10));
  if (!part || !parts || *part < 1 || *part > *parts || *parts > kMostParts) return std::nullopt;
  return LogFile{LogFileKind::kCheckpoint, version, *part, *parts};
}

}  // namespace

std::string CommitName(std::int64_t version) { return fmt::format("{:020}.json", version); }

std::string CheckpointName(std::int64_t version) {
  return fmt::format("{:020}.checkpoint.parquet", version);
}

std::optional<LogFile> ParseLogName(std::string_view name) {
  if (name.size() <= kDigits + 1 || name[kDigits] != '.') return std::nullopt;
  const auto version = Whole<std::int64_t>(name.substr(0, kDigits));
  if (!version) return std::nullopt;
  const std::string_view rest = name.substr(kDigits + 1);
  if (rest == "json") return LogFile{LogFileKind::kCommit, *version};
  if (rest == "crc") return LogFile{LogFileKind::kChecksum, *version};
  return CheckpointOf(*version, rest);
}

}  // namespace weir::delta
