#pragma once
// SpoolSource: the log source over an embedded log. Opens the log when it is first needed and again
// after it went away; looks at each call whether the topic is still the one that was assigned.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "connect/log_source.h"
#include "spool/log_file.h"
#include "spool/segment.h"

namespace weir::spool {

class SpoolSource final : public connect::LogSource {
 public:
  SpoolSource(std::string folder, std::string topic, Clock& clock)
      : folder_(std::move(folder)), topic_name_(std::move(topic)), clock_(clock) {}

  Result<connect::TopicInfo> Describe() override;
  Result<OffsetMap> OffsetsAt(std::int64_t timestamp_ms) override;
  Status Assign(const OffsetMap& start) override;
  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) override;
  OffsetMap Positions() const override;
  std::set<Partition> AtEnd() const override;
  /// Nothing to tell: this log keeps no readers' positions.
  Status ReportProgress(const OffsetMap&) override { return Ok(); }

 private:
  /// An assigned partition and where it stands.
  struct Reader {
    Offset next;
    std::optional<SegmentCursor> cursor;  // over the segment that holds next
    bool at_end = false;
  };
  /// A batch being filled.
  struct Filling;

  Result<Topic> FindTopic();
  Result<Topic> FindAssignedTopic();
  Result<LogBatch> PollUntil(Micros deadline, std::size_t max_records);
  Status Fill(const Topic& topic, Filling& filling);
  Status Read(const Topic& topic, Partition partition, Reader& reader, Filling& filling);
  /// False: at the end of the partition.
  Result<bool> Open(const Topic& topic, Partition partition, Reader& reader);
  Result<std::shared_ptr<const Segment>> LoadNext(const Topic& topic, Partition partition,
                                                  Offset next);
  Result<Offset> OffsetAt(const Topic& topic, Partition partition, const PartitionState& state,
                          std::int64_t timestamp_ms);
  Status WaitForCommit(std::int64_t seen_version, Micros deadline);

  const std::string folder_;
  const std::string topic_name_;
  Clock& clock_;
  std::unique_ptr<LogFile> file_;  // nullptr: not open
  std::string assigned_topic_id_;
  std::map<Partition, Reader> readers_;
  Partition last_read_;  // the next batch begins behind it, so that no partition starves another
};

}  // namespace weir::spool
