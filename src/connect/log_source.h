#pragma once
// LogSource: the port through which records come in. Kafka and the embedded log implement it.
//
// One thread owns a source. The source keeps no progress of its own: the engine assigns partitions
// with explicit offsets and gets records of each partition in offset order, without gaps other than
// those that the log itself has (compaction, transaction markers, retention).

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "record/log_record.h"
#include "record/offsets.h"

namespace weir::connect {

/// What the log says of one partition now.
struct PartitionBounds {
  Offset begin;  // first record that still exists
  Offset end;    // next offset to be written (read_committed: last stable offset)
};

/// What identifies a topic and shows what it holds.
struct TopicInfo {
  std::string topic;
  std::string cluster_id;  // empty where the log has none
  std::string topic_id;    // empty where the broker does not tell
  std::map<Partition, PartitionBounds> partitions;
};

class LogSource {
 public:
  virtual ~LogSource() = default;

  /// Asks the log. kUnavailable WEIR0301 (away), kNotFound WEIR0302 (no topic), kRefused WEIR0303.
  virtual Result<TopicInfo> Describe() = 0;
  /// First offset at or after a time (Unix milliseconds) for every partition; the end where none
  /// is.
  virtual Result<OffsetMap> OffsetsAt(std::int64_t timestamp_ms) = 0;
  /// Reads these partitions from these offsets on; replaces any earlier assignment.
  virtual Status Assign(const OffsetMap& start) = 0;
  /// Waits up to max_wait for records. An empty batch is not an error. kUnavailable: away for now,
  /// call again. kRefused WEIR0206/0207: an offset is out of range.
  virtual Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) = 0;
  /// Where each assigned partition stands: the next offset that Poll would return a record from.
  /// Moves over gaps, so a bounded run ends when it reaches the end.
  virtual OffsetMap Positions() const = 0;
  /// Assigned partitions that had nothing unread when Poll last looked.
  virtual std::set<Partition> AtEnd() const = 0;
  /// Tells the log how far the tables are, so that lag tools see it. Best effort; never read back.
  virtual Status ReportProgress(const OffsetMap& next) = 0;
};

/// Where records go: `weir produce` and `weir generate` write through it.
struct OutgoingRecord {
  std::optional<Partition> partition;  // empty: by key, or round robin without one
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;  // nullopt: a tombstone
  std::int64_t timestamp_ms = -1;         // -1: now
  std::vector<RecordHeader> headers;
};

class LogSink {
 public:
  virtual ~LogSink() = default;
  /// Takes a record; may buffer. The views may die when it returns.
  virtual Status Produce(const OutgoingRecord& record) = 0;
  /// Returns when everything taken so far is in the log. kUnavailable WEIR0305.
  virtual Status Flush() = 0;
};

}  // namespace weir::connect
