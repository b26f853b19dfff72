#pragma once
// LogFile: the database of an embedded log, its topics and its partitions. The records are the
// business of segment_table. docs/SPOOL.md describes the format. Errors are those of spool.h,
// before AsLogError. Changes stand in a db::Transaction of connection(), which the caller begins.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connect/log_source.h"
#include "db/connection.h"
#include "record/offsets.h"
#include "spool/spool.h"

namespace weir::spool {

/// A topic's row.
struct Topic {
  std::int64_t number = 0;  // key in the tables, never used again
  std::string name;
  std::string topic_id;
  Retention retention;
};

/// A partition's row.
struct PartitionState {
  Offset begin;
  Offset end;
  std::int64_t bytes = 0;  // of the payloads of its segments
};
using PartitionStates = std::map<Partition, PartitionState>;

class LogFile {
 public:
  enum class Missing { kCreate, kFail };
  static Result<std::unique_ptr<LogFile>> Open(const std::string& folder, Missing missing);

  db::Connection& connection() { return *connection_; }
  const std::string& path() const { return connection_->path(); }
  /// Whether the file at the path is another one by now.
  bool IsReplaced() const;
  /// A statement that is prepared once. The text must be a constant: its address is the key.
  Result<db::Statement*> Prepared(const char* sql);

  /// kNotFound WEIR0302.
  Result<Topic> FindTopic(const std::string& name);
  Result<std::vector<std::string>> ListTopics();
  Result<connect::TopicInfo> Describe(const Topic& topic);
  /// kConflict when it is there.
  Status AddTopic(const std::string& name, const TopicSettings& settings, std::int64_t now_ms);
  Status RemoveTopic(const Topic& topic);
  Status WriteRetention(const Topic& topic, const Retention& retention);

  /// Empty: the topic was removed.
  Result<PartitionStates> ReadPartitions(const Topic& topic);
  Status WritePartition(const Topic& topic, Partition partition, const PartitionState& state);

 private:
  explicit LogFile(std::unique_ptr<db::Connection> connection)
      : connection_(std::move(connection)) {}
  Status Identify();
  Status CreateTables();

  std::unique_ptr<db::Connection> connection_;
  std::map<const char*, db::Statement> statements_;
  std::string cluster_id_;
  std::uint64_t inode_ = 0;
};

/// A database error as the log's. `busy`: the code of kUnavailable without one.
Error AsLogError(Error error, ErrorCode busy);

/// The same for a whole call, for use where a public function ends.
template <typename R>
R AsLogResult(R result, ErrorCode busy) {
  if (!result) return AsLogError(std::move(result).error(), busy);
  return result;
}

}  // namespace weir::spool
