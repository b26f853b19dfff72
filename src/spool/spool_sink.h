#pragma once
// SpoolSink: the log sink over an embedded log. Packs records into segments as they come; Flush
// appends the segments of all partitions in one transaction, which gives them their offsets.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "connect/log_source.h"
#include "spool/log_file.h"
#include "spool/segment.h"

namespace weir::spool {

class SpoolSink final : public connect::LogSink {
 public:
  SpoolSink(std::unique_ptr<LogFile> file, Topic topic, int partitions, Clock& clock);
  /// Appends what was taken, best effort: only Flush says whether it worked.
  ~SpoolSink() override;

  Status Produce(const connect::OutgoingRecord& record) override;
  Status Flush() override;

 private:
  /// A full segment that waits for its transaction.
  struct Waiting {
    Partition partition;
    SegmentContent content;
  };

  Result<Partition> Place(const connect::OutgoingRecord& record);
  Status Seal(std::size_t partition);
  Status Append();
  Status AppendInTransaction();

  std::unique_ptr<LogFile> file_;
  Topic topic_;
  Clock& clock_;
  std::vector<SegmentBuilder> builders_;  // by partition
  std::vector<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t turn_ = 0;  // partition of the next record without a key
  Micros retired_at_;     // monotonic
  bool broken_ = false;   // an append had an unknown outcome
};

}  // namespace weir::spool
