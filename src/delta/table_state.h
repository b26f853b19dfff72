#pragma once
// TableState: what the actions of a log add up to, version by version: the files that are live,
// those that were removed not long ago, the progress of applications, metadata and protocol.
//
// One object moves forward with the log, so that a commit costs what it changes and not what the
// table holds. Not thread safe.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "connect/data_file.h"
#include "delta/action.h"
#include "delta/layout.h"

namespace weir::delta {

class TableState {
 public:
  /// The version that was applied last; -1 before any.
  std::int64_t version() const { return version_; }
  const Protocol& protocol() const { return protocol_; }
  /// Null before any was applied; replaced, never changed.
  const std::shared_ptr<const Metadata>& metadata() const { return metadata_; }

  /// Takes over the actions of a version, or of a checkpoint of it. kUnsupported WEIR0403 for a
  /// file with a deletion vector.
  Status Apply(std::int64_t version, LogCommit commit);

  /// By path, as in the log.
  const std::unordered_map<std::string, AddFile>& files() const { return files_; }
  const std::unordered_map<std::string, RemoveFile>& removed() const { return removed_; }
  const std::map<std::string, Transaction>& transactions() const { return transactions_; }
  /// Rows of all live files whose statistics tell.
  std::int64_t records() const { return records_; }

  /// The live files whose rows are named. kUnsupported WEIR0403 when the table does not keep them
  /// apart from others.
  Result<std::vector<const AddFile*>> FilesOf(const Layout& layout,
                                              const std::vector<connect::RowsWhere>& rows) const;

  /// Removed files that went before `time_ms`; they are forgotten.
  std::vector<RemoveFile> TakeRemovedBefore(std::int64_t time_ms);

 private:
  Status Add(AddFile file);
  void Remove(RemoveFile file);
  void Drop(const std::string& path);

  std::int64_t version_ = -1;
  Protocol protocol_;
  std::shared_ptr<const Metadata> metadata_;
  std::unordered_map<std::string, AddFile> files_;
  std::map<TextMap, std::set<std::string>> by_partition_;  // paths of files_
  std::unordered_map<std::string, RemoveFile> removed_;
  std::map<std::string, Transaction> transactions_;
  std::int64_t records_ = 0;
};

}  // namespace weir::delta
