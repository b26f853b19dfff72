#pragma once
// MeteredSource: a log source that counts what passes through it, for displays. Everything else is
// left to the source below. The port's calls come from one thread, the readings from any.

#include <atomic>
#include <map>
#include <mutex>

#include "base/clock.h"
#include "connect/log_source.h"

namespace weir::app {

class MeteredSource final : public connect::LogSource {
 public:
  /// Both must outlive the meter.
  MeteredSource(connect::LogSource& source, Clock& clock) : source_(source), clock_(clock) {}

  Result<connect::TopicInfo> Describe() override;
  Result<OffsetMap> OffsetsAt(std::int64_t timestamp_ms) override;
  Status Assign(const OffsetMap& start) override;
  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) override;
  OffsetMap Positions() const override { return source_.Positions(); }
  std::set<Partition> AtEnd() const override { return source_.AtEnd(); }
  Status ReportProgress(const OffsetMap& next) override { return source_.ReportProgress(next); }

  std::int64_t records() const { return records_; }
  /// Records that were there when the topic was last described and are not read yet.
  std::int64_t backlog() const;
  /// The same by partition.
  std::map<Partition, std::int64_t> waiting() const;
  /// How far reading is behind: the age of the last record read; 0 when nothing waits.
  Micros lag() const;

 private:
  void CountBacklog();

  connect::LogSource& source_;
  Clock& clock_;
  std::atomic<std::int64_t> records_{0};
  std::atomic<std::int64_t> last_timestamp_ms_{-1};
  std::atomic<bool> caught_up_{false};
  std::map<Partition, Offset> ends_;  // of the last description; the port's thread only
  mutable std::mutex mutex_;
  std::map<Partition, std::int64_t> waiting_;  // guarded by mutex_
};

}  // namespace weir::app
