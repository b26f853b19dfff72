#pragma once
// SegmentTable: the records of an embedded log, as segments in the database of a LogFile. Errors as
// there, and kCorrupt WEIR0304 for a segment that is not what was written.

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "spool/log_file.h"
#include "spool/segment.h"

namespace weir::spool {

class SegmentTable {
 public:
  /// `file` must outlive this object.
  explicit SegmentTable(LogFile& file) : file_(file) {}

  /// The segment that holds the offset, checked; nullptr: there is none.
  Result<std::shared_ptr<const Segment>> Load(const Topic& topic, Partition partition,
                                              Offset offset);
  /// The first segment with a record at or after a time; nullptr: there is none.
  Result<std::shared_ptr<const Segment>> LoadAt(const Topic& topic, Partition partition,
                                                std::int64_t timestamp_ms);
  Status Append(const Topic& topic, Partition partition, const Segment& segment);
  /// Removes what the topic's retention gives up; the number of records removed.
  Result<std::int64_t> Retire(const Topic& topic, std::int64_t now_ms);

  Error DamagedAt(const Topic& topic, Partition partition, Offset offset) const;

 private:
  Result<std::shared_ptr<const Segment>> LoadRow(db::Statement& select, const Topic& topic,
                                                 Partition partition) const;
  Result<std::int64_t> Retire(const Topic& topic, Partition partition, PartitionState state,
                              std::int64_t now_ms);

  LogFile& file_;
};

}  // namespace weir::spool
