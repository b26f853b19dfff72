#include "spool/spool_sink.h"

#include <fmt/format.h>

#include "base/log.h"
#include "db/transaction.h"
#include "spool/partitioner.h"
#include "spool/segment_table.h"

namespace weir::spool {
namespace {

constexpr std::size_t kMaxWaitingBytes = 8 << 20;
constexpr Micros kRetirementInterval = kMicrosPerSecond;

std::size_t SizeOf(const connect::OutgoingRecord& record) {
  std::size_t size =
      (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
  for (const RecordHeader& header : record.headers) {
    size += header.name.size() + (header.value ? header.value->size() : 0);
  }
  return size;
}

}  // namespace

SpoolSink::SpoolSink(std::unique_ptr<LogFile> file, Topic topic, int partitions, Clock& clock)
    : file_(std::move(file)),
      topic_(std::move(topic)),
      clock_(clock),
      builders_(static_cast<std::size_t>(partitions)),
      retired_at_(clock.Monotonic()) {}

SpoolSink::~SpoolSink() {
  if (Status flushed = Flush(); !flushed) {
    log::Error("records could not be written to the log", {{"error", flushed.error().ToString()}});
  }
}

Status SpoolSink::Produce(const connect::OutgoingRecord& record) {
  if (SizeOf(record) > kMaxRecordBytes) {
    return InvalidInput(fmt::format("a record of {} bytes; the log takes at most {}",
                                    SizeOf(record), kMaxRecordBytes));
  }
  if (record.timestamp_ms < -1) {
    return InvalidInput(fmt::format("a record of the time {} ms", record.timestamp_ms));
  }
  WEIR_ASSIGN_OR_RETURN(const Partition partition, Place(record));
  // Before the record is taken, so that an error leaves it with the caller.
  if (waiting_bytes_ >= kMaxWaitingBytes) WEIR_TRY(Append());
  SegmentBuilder& builder = builders_[static_cast<std::size_t>(partition.value())];
  const std::size_t before = builder.bytes();
  builder.Add(record,
              record.timestamp_ms >= 0 ? record.timestamp_ms : clock_.Now() / kMicrosPerMilli);
  waiting_bytes_ += builder.bytes() - before;
  if (builder.full()) waiting_.push_back({partition, builder.Take()});
  return Ok();
}

Result<Partition> SpoolSink::Place(const connect::OutgoingRecord& record) {
  const auto partitions = static_cast<int>(builders_.size());
  if (record.partition) {
    if (record.partition->value() >= 0 && record.partition->value() < partitions) {
      return *record.partition;
    }
    return InvalidInput(fmt::format("topic {} has the partitions 0 to {}, not {}", topic_.name,
                                    partitions - 1, record.partition->value()));
  }
  if (record.key) return PartitionOf(*record.key, partitions);
  const Partition partition(static_cast<std::int32_t>(turn_));
  turn_ = (turn_ + 1) % builders_.size();
  return partition;
}

Status SpoolSink::Flush() {
  for (std::size_t i = 0; i < builders_.size(); ++i) {
    if (builders_[i].empty()) continue;
    waiting_.push_back({Partition(static_cast<std::int32_t>(i)), builders_[i].Take()});
  }
  return Append();
}

Status SpoolSink::Append() {
  if (waiting_.empty()) return Ok();
  if (broken_) {
    return Error{.kind = ErrorKind::kUnavailable,
                 .code = ErrorCode::kProduceFailed,
                 .message = file_->path() + ": an earlier append had an unknown outcome",
                 .remedy = "look what the log holds, then start again"};
  }
  Status appended = AppendInTransaction();
  if (!appended) {
    broken_ = appended.error().kind == ErrorKind::kCommitUnknown;
    return AsLogError(std::move(appended).error(), ErrorCode::kProduceFailed);
  }
  waiting_.clear();
  waiting_bytes_ = 0;
  for (const SegmentBuilder& builder : builders_) waiting_bytes_ += builder.bytes();
  return Ok();
}

Status SpoolSink::AppendInTransaction() {
  WEIR_ASSIGN_OR_RETURN(auto transaction, db::Transaction::Begin(file_->connection()));
  WEIR_ASSIGN_OR_RETURN(const Topic topic, file_->FindTopic(topic_.name));
  if (topic.topic_id != topic_.topic_id) {
    return Refused(file_->path() + ": topic " + topic.name + " was made again",
                   ErrorCode::kTopicReplaced);
  }
  WEIR_ASSIGN_OR_RETURN(PartitionStates states, file_->ReadPartitions(topic));
  const std::int64_t now_ms = clock_.Now() / kMicrosPerMilli;
  for (Waiting& waiting : waiting_) {
    PartitionState& state = states[waiting.partition];
    Segment segment{.first = state.end, .appended_ms = now_ms, .content = {}};
    std::swap(segment.content, waiting.content);
    Status appended = SegmentTable(*file_).Append(topic, waiting.partition, segment);
    state.end = segment.end();
    state.bytes += static_cast<std::int64_t>(segment.content.payload.size());
    std::swap(segment.content, waiting.content);  // kept until the commit
    WEIR_TRY(std::move(appended));
  }
  for (const auto& [partition, state] : states) {
    WEIR_TRY(file_->WritePartition(topic, partition, state));
  }
  const Micros now = clock_.Monotonic();
  const bool retires = now - retired_at_ >= kRetirementInterval;
  if (retires) WEIR_TRY(SegmentTable(*file_).Retire(topic, now_ms));
  WEIR_TRY(transaction.Commit());
  if (retires) retired_at_ = now;
  return Ok();
}

}  // namespace weir::spool
