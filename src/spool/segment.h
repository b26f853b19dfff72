#pragma once
// Segment: up to a thousand records of one partition packed into one block, the unit of storage.
// The layout is described in docs/SPOOL.md. Pure: bytes in, bytes out. One thread per object.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "connect/log_source.h"
#include "record/log_record.h"

namespace weir::spool {

inline constexpr std::int64_t kMaxSegmentRecords = 1'000;
inline constexpr std::size_t kMaxSegmentBytes = 1 << 20;  // a larger record fills one alone
inline constexpr std::size_t kMaxRecordBytes = 64 << 20;  // key, value and headers

/// Everything of a segment but where it stands.
struct SegmentContent {
  std::string payload;
  std::int64_t records = 0;
  std::int64_t max_timestamp_ms = 0;
};

/// A segment as it is stored.
struct Segment {
  Offset first;
  std::int64_t appended_ms = 0;
  SegmentContent content;

  Offset end() const { return Offset(first.value() + content.records); }
};

/// Checksum over a segment and the place where it belongs, so that a block that got to another
/// place is noticed too.
std::uint64_t ChecksumOf(std::string_view topic_id, Partition partition, const Segment& segment);

class SegmentBuilder {
 public:
  /// timestamp_ms: of the record, or now where it has none.
  void Add(const connect::OutgoingRecord& record, std::int64_t timestamp_ms);
  bool full() const {
    return content_.records >= kMaxSegmentRecords || content_.payload.size() >= kMaxSegmentBytes;
  }
  bool empty() const { return content_.records == 0; }
  std::size_t bytes() const { return content_.payload.size(); }
  /// The content so far; the builder is empty then.
  SegmentContent Take();

 private:
  SegmentContent content_;
  std::int64_t last_timestamp_ms_ = 0;
};

/// Headers of the records of a batch; the spans stay where they are.
using HeaderArena = std::deque<std::vector<RecordHeader>>;

/// Reads the records of a segment in order. The views point into the segment.
class SegmentCursor {
 public:
  SegmentCursor(Partition partition, std::shared_ptr<const Segment> segment)
      : partition_(partition), segment_(std::move(segment)), next_(segment_->first) {}

  bool done() const { return next_ >= segment_->end(); }
  /// Where Read continues.
  Offset next() const { return next_; }
  const std::shared_ptr<const Segment>& segment() const { return segment_; }
  /// Reads one record; not when done. False: the payload is damaged.
  bool Read(LogRecord& record, HeaderArena& headers);

 private:
  Partition partition_;
  std::shared_ptr<const Segment> segment_;
  Offset next_;
  std::size_t at_ = 0;  // in the payload
  std::int64_t last_timestamp_ms_ = 0;
};

}  // namespace weir::spool
