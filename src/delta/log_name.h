#pragma once
// Names of the files of a Delta log. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::delta {

inline constexpr std::string_view kLogFolder = "_delta_log";
inline constexpr std::string_view kLastCheckpoint = "_last_checkpoint";

/// "00000000000000000007.json", "00000000000000000007.checkpoint.parquet".
std::string CommitName(std::int64_t version);
std::string CheckpointName(std::int64_t version);

enum class LogFileKind {
  kCommit,
  kCheckpoint,    // one part or the only one
  kV2Checkpoint,  // named by a uuid
  kChecksum,
};

struct LogFile {
  LogFileKind kind = LogFileKind::kCommit;
  std::int64_t version = 0;
  int part = 1;   // of kCheckpoint, from 1
  int parts = 1;  // of kCheckpoint
};
/// Of a bare name; nullopt for everything else that may lie there.
std::optional<LogFile> ParseLogName(std::string_view name);

}  // namespace weir::delta
