#pragma once
// LogReader: finds and reads the log of one table in a store.
//
// What a version is follows from a listing alone: `_last_checkpoint` is a hint that may be old or
// wrong, and nothing here needs it. A checkpoint that cannot be read, or of which a part is
// missing, is passed over as long as an older one and the commits since are there. Not thread safe.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/table_state.h"
#include "io/store.h"

namespace weir::delta {

struct LogListing {
  std::vector<std::int64_t> commits;                             // ascending
  std::map<std::int64_t, std::vector<std::string>> checkpoints;  // whole ones: keys of the parts
  std::vector<io::ObjectInfo> files;                             // all that the names tell
  std::optional<std::int64_t> v2_checkpoint;                     // newest of that kind

  bool empty() const { return commits.empty() && checkpoints.empty() && !v2_checkpoint; }
  /// The newest version that the names tell of; -1 without any.
  std::int64_t newest() const;
};

class LogReader {
 public:
  /// `folder`: key of the table's folder in the store.
  LogReader(io::Store& store, const std::string& folder);

  std::string KeyOf(const std::string& name) const { return folder_ + "/" + name; }

  Result<LogListing> List();
  /// The newest state, or that of a version. kNotFound WEIR0401 without a log, kNotFound for a
  /// version that cannot be made up any more; kCorrupt WEIR0405, kUnsupported WEIR0403.
  Result<TableState> Read(std::optional<std::int64_t> at = std::nullopt);
  /// The commit of a version; nullopt when it is not there.
  Result<std::optional<LogCommit>> ReadCommit(std::int64_t version);

 private:
  Result<TableState> Replay(const LogListing& listing, std::int64_t at);
  Result<TableState> ReadFrom(const LogListing& listing, std::int64_t checkpoint, std::int64_t at);

  io::Store& store_;
  std::string folder_;  // of the log
};

}  // namespace weir::delta
