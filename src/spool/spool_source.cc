#include "spool/spool_source.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "db/transaction.h"
#include "spool/segment_table.h"

namespace weir::spool {
namespace {

constexpr std::size_t kMaxBatchBytes = 16 << 20;
// How often an idle reader looks for a commit. A look costs a few microseconds.
constexpr Micros kShortestSleep = 500;
constexpr Micros kLongestSleep = 20 * kMicrosPerMilli;

/// What keeps the bytes of a batch alive.
struct BatchStorage {
  std::vector<std::shared_ptr<const Segment>> segments;
  HeaderArena headers;
};

}  // namespace

struct SpoolSource::Filling {
  explicit Filling(std::size_t records) : max_records(records) { batch.storage = storage; }
  bool full() const { return batch.records.size() >= max_records || batch.bytes >= kMaxBatchBytes; }

  std::size_t max_records;
  std::shared_ptr<BatchStorage> storage = std::make_shared<BatchStorage>();
  LogBatch batch;
};

Result<Topic> SpoolSource::FindTopic() {
  if (file_ != nullptr && file_->IsReplaced()) file_.reset();
  if (file_ == nullptr) {
    WEIR_ASSIGN_OR_RETURN(file_, LogFile::Open(folder_, LogFile::Missing::kFail));
  }
  return file_->FindTopic(topic_name_);
}

Result<Topic> SpoolSource::FindAssignedTopic() {
  WEIR_ASSIGN_OR_RETURN(Topic topic, FindTopic());
  if (topic.topic_id == assigned_topic_id_) return topic;
  return Refused(fmt::format("{}: topic {} was made again: its id is {} and was {}", folder_,
                             topic_name_, topic.topic_id, assigned_topic_id_),
                 ErrorCode::kTopicReplaced);
}

Result<connect::TopicInfo> SpoolSource::Describe() {
  const auto describe = [this]() -> Result<connect::TopicInfo> {
    WEIR_ASSIGN_OR_RETURN(const Topic topic, FindTopic());
    return file_->Describe(topic);
  };
  return AsLogResult(describe(), ErrorCode::kSourceUnavailable);
}

Result<OffsetMap> SpoolSource::OffsetsAt(std::int64_t timestamp_ms) {
  const auto find = [&]() -> Result<OffsetMap> {
    WEIR_ASSIGN_OR_RETURN(const Topic topic, FindTopic());
    WEIR_ASSIGN_OR_RETURN(auto transaction, db::Transaction::BeginRead(file_->connection()));
    WEIR_ASSIGN_OR_RETURN(const PartitionStates states, file_->ReadPartitions(topic));
    OffsetMap offsets;
    for (const auto& [partition, state] : states) {
      WEIR_ASSIGN_OR_RETURN(offsets[partition], OffsetAt(topic, partition, state, timestamp_ms));
    }
    return offsets;
  };
  return AsLogResult(find(), ErrorCode::kSourceUnavailable);
}

Result<Offset> SpoolSource::OffsetAt(const Topic& topic, Partition partition,
                                     const PartitionState& state, std::int64_t timestamp_ms) {
  WEIR_ASSIGN_OR_RETURN(const auto segment,
                        SegmentTable(*file_).LoadAt(topic, partition, timestamp_ms));
  if (segment == nullptr) return state.end;
  SegmentCursor cursor(partition, segment);
  HeaderArena headers;
  LogRecord record;
  while (!cursor.done()) {
    if (!cursor.Read(record, headers))
      return SegmentTable(*file_).DamagedAt(topic, partition, cursor.next());
    if (record.timestamp_ms >= timestamp_ms) return record.offset;
  }
  return SegmentTable(*file_).DamagedAt(topic, partition, segment->first);
}

Status SpoolSource::Assign(const OffsetMap& start) {
  const auto find = FindTopic();
  if (!find) return AsLogError(find.error(), ErrorCode::kSourceUnavailable);
  assigned_topic_id_ = find->topic_id;
  readers_.clear();
  for (const auto& [partition, offset] : start) readers_[partition].next = offset;
  return Ok();
}

Result<LogBatch> SpoolSource::Poll(Micros max_wait, std::size_t max_records) {
  return AsLogResult(PollUntil(clock_.Monotonic() + max_wait, max_records),
                     ErrorCode::kSourceUnavailable);
}

Result<LogBatch> SpoolSource::PollUntil(Micros deadline, std::size_t max_records) {
  Filling filling(max_records);
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const Topic topic, FindAssignedTopic());
    // Taken before the look, so that a commit during it is not slept through.
    WEIR_ASSIGN_OR_RETURN(const std::int64_t version, file_->connection().DataVersion());
    Status filled = Fill(topic, filling);
    if (!filling.batch.empty()) return std::move(filling.batch);
    WEIR_TRY(std::move(filled));
    if (clock_.Monotonic() >= deadline) return LogBatch();
    WEIR_TRY(WaitForCommit(version, deadline));
  }
}

// An error after some records stays where it is, and the next call meets it again.
Status SpoolSource::Fill(const Topic& topic, Filling& filling) {
  auto at = readers_.upper_bound(last_read_);
  for (std::size_t i = 0; i < readers_.size() && !filling.full(); ++i) {
    if (at == readers_.end()) at = readers_.begin();
    last_read_ = at->first;
    WEIR_TRY(Read(topic, at->first, at->second, filling));
    ++at;
  }
  return Ok();
}

Status SpoolSource::Read(const Topic& topic, Partition partition, Reader& reader,
                         Filling& filling) {
  while (!filling.full()) {
    WEIR_ASSIGN_OR_RETURN(const bool more, Open(topic, partition, reader));
    reader.at_end = !more;
    if (!more) return Ok();
    SegmentCursor& cursor = *reader.cursor;
    filling.storage->segments.push_back(cursor.segment());
    LogRecord record;
    while (!cursor.done() && !filling.full()) {
      if (!cursor.Read(record, filling.storage->headers)) {
        return SegmentTable(*file_).DamagedAt(topic, partition, reader.next);
      }
      filling.batch.bytes += (record.key ? record.key->size() : 0);
      filling.batch.bytes += (record.value ? record.value->size() : 0);
      filling.batch.records.push_back(record);
      reader.next = cursor.next();
    }
  }
  return Ok();
}

Result<bool> SpoolSource::Open(const Topic& topic, Partition partition, Reader& reader) {
  if (reader.cursor && !reader.cursor->done()) return true;
  reader.cursor.reset();
  WEIR_ASSIGN_OR_RETURN(auto segment, LoadNext(topic, partition, reader.next));
  if (segment == nullptr) return false;
  SegmentCursor cursor(partition, std::move(segment));
  HeaderArena headers;
  LogRecord record;
  while (cursor.next() < reader.next) {
    if (!cursor.Read(record, headers))
      return SegmentTable(*file_).DamagedAt(topic, partition, cursor.next());
  }
  reader.cursor = std::move(cursor);
  return true;
}

// Nearly always the segment is there. Where it is not, one consistent look tells why.
Result<std::shared_ptr<const Segment>> SpoolSource::LoadNext(const Topic& topic,
                                                             Partition partition, Offset next) {
  WEIR_ASSIGN_OR_RETURN(auto segment, SegmentTable(*file_).Load(topic, partition, next));
  if (segment != nullptr) return segment;
  WEIR_ASSIGN_OR_RETURN(auto transaction, db::Transaction::BeginRead(file_->connection()));
  WEIR_ASSIGN_OR_RETURN(const PartitionStates states, file_->ReadPartitions(topic));
  const auto state = states.find(partition);
  const std::string place =
      fmt::format("{}: topic {} partition {}", folder_, topic_name_, partition.value());
  if (state == states.end()) return NotFound(place + " is not there", ErrorCode::kTopicMissing);
  if (next == state->second.end) return nullptr;
  if (next < state->second.begin) {
    return Refused(fmt::format("{}: offset {} was removed by retention; the log begins at {}",
                               place, next.value(), state->second.begin.value()),
                   ErrorCode::kOffsetsExpired);
  }
  if (next > state->second.end) {
    return Refused(fmt::format("{}: offset {} is behind the end of the log, {}", place,
                               next.value(), state->second.end.value()),
                   ErrorCode::kLogTruncated);
  }
  WEIR_ASSIGN_OR_RETURN(segment, SegmentTable(*file_).Load(topic, partition, next));
  if (segment == nullptr) return SegmentTable(*file_).DamagedAt(topic, partition, next);
  return segment;
}

Status SpoolSource::WaitForCommit(std::int64_t seen_version, Micros deadline) {
  for (Micros sleep = kShortestSleep;; sleep = std::min(sleep * 2, kLongestSleep)) {
    const Micros left = deadline - clock_.Monotonic();
    if (left <= 0) return Ok();
    clock_.Sleep(std::min(sleep, left));
    WEIR_ASSIGN_OR_RETURN(const std::int64_t version, file_->connection().DataVersion());
    if (version != seen_version) return Ok();
  }
}

OffsetMap SpoolSource::Positions() const {
  OffsetMap positions;
  for (const auto& [partition, reader] : readers_) positions[partition] = reader.next;
  return positions;
}

std::set<Partition> SpoolSource::AtEnd() const {
  std::set<Partition> at_end;
  for (const auto& [partition, reader] : readers_)
    if (reader.at_end) at_end.insert(partition);
  return at_end;
}

}  // namespace weir::spool
