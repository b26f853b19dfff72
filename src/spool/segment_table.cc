#include "spool/segment_table.h"

#include <fmt/format.h>

namespace weir::spool {
namespace {

constexpr const char* kLoad =
    "SELECT first_offset, records, max_timestamp_ms, appended_ms, checksum, payload FROM segment"
    " WHERE topic = ? AND partition = ? AND first_offset <= ? ORDER BY first_offset DESC LIMIT 1";
constexpr const char* kLoadAt =
    "SELECT first_offset, records, max_timestamp_ms, appended_ms, checksum, payload FROM segment"
    " WHERE topic = ? AND partition = ? AND max_timestamp_ms >= ? ORDER BY first_offset LIMIT 1";
constexpr const char* kAppend =
    "INSERT INTO segment(topic, partition, first_offset, records, bytes, max_timestamp_ms,"
    " appended_ms, checksum, payload) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kOldest =
    "SELECT id, first_offset, records, bytes, appended_ms FROM segment"
    " WHERE topic = ? AND partition = ? ORDER BY first_offset LIMIT 1";
constexpr const char* kRemove = "DELETE FROM segment WHERE id = ?";

}  // namespace

Error SegmentTable::DamagedAt(const Topic& topic, Partition partition, Offset offset) const {
  return Corrupt(
      fmt::format("{}: topic {} partition {}: the segment with offset {} is damaged or missing",
                  file_.path(), topic.name, partition.value(), offset.value()),
      ErrorCode::kSourceCorrupt);
}

Result<std::shared_ptr<const Segment>> SegmentTable::Load(const Topic& topic, Partition partition,
                                                          Offset offset) {
  WEIR_ASSIGN_OR_RETURN(db::Statement * select, file_.Prepared(kLoad));
  WEIR_TRY(select->Bind(topic.number, partition.value(), offset.value()));
  WEIR_ASSIGN_OR_RETURN(const bool row, select->Step());
  if (!row) return nullptr;
  const bool holds_it = select->Int64(0) + select->Int64(1) > offset.value();
  if (holds_it) return LoadRow(*select, topic, partition);
  select->Reset();
  return nullptr;
}

Result<std::shared_ptr<const Segment>> SegmentTable::LoadAt(const Topic& topic, Partition partition,
                                                            std::int64_t timestamp_ms) {
  WEIR_ASSIGN_OR_RETURN(db::Statement * select, file_.Prepared(kLoadAt));
  WEIR_TRY(select->Bind(topic.number, partition.value(), timestamp_ms));
  WEIR_ASSIGN_OR_RETURN(const bool row, select->Step());
  if (!row) return nullptr;
  return LoadRow(*select, topic, partition);
}

Result<std::shared_ptr<const Segment>> SegmentTable::LoadRow(db::Statement& select,
                                                             const Topic& topic,
                                                             Partition partition) const {
  auto segment = std::make_shared<Segment>();
  segment->first = Offset(select.Int64(0));
  segment->content.records = select.Int64(1);
  segment->content.max_timestamp_ms = select.Int64(2);
  segment->appended_ms = select.Int64(3);
  const auto checksum = static_cast<std::uint64_t>(select.Int64(4));
  segment->content.payload = select.Bytes(5);
  select.Reset();
  if (ChecksumOf(topic.topic_id, partition, *segment) != checksum) {
    return DamagedAt(topic, partition, segment->first);
  }
  return segment;
}

Status SegmentTable::Append(const Topic& topic, Partition partition, const Segment& segment) {
  WEIR_ASSIGN_OR_RETURN(db::Statement * insert, file_.Prepared(kAppend));
  const SegmentContent& content = segment.content;
  const auto checksum = static_cast<std::int64_t>(ChecksumOf(topic.topic_id, partition, segment));
  return insert->Run(topic.number, partition.value(), segment.first.value(), content.records,
                     static_cast<std::int64_t>(content.payload.size()), content.max_timestamp_ms,
                     segment.appended_ms, checksum, db::Blob{content.payload});
}

Result<std::int64_t> SegmentTable::Retire(const Topic& topic, std::int64_t now_ms) {
  WEIR_ASSIGN_OR_RETURN(const PartitionStates states, file_.ReadPartitions(topic));
  std::int64_t removed = 0;
  for (const auto& [partition, state] : states) {
    WEIR_ASSIGN_OR_RETURN(const std::int64_t count, Retire(topic, partition, state, now_ms));
    removed += count;
  }
  return removed;
}

// Stops at the first segment that must stay, so that what stays has no holes.
Result<std::int64_t> SegmentTable::Retire(const Topic& topic, Partition partition,
                                          PartitionState state, std::int64_t now_ms) {
  const Retention& retention = topic.retention;
  WEIR_ASSIGN_OR_RETURN(db::Statement * oldest, file_.Prepared(kOldest));
  WEIR_ASSIGN_OR_RETURN(db::Statement * remove, file_.Prepared(kRemove));
  std::int64_t removed = 0;
  while (true) {
    WEIR_TRY(oldest->Bind(topic.number, partition.value()));
    WEIR_ASSIGN_OR_RETURN(const bool row, oldest->Step());
    if (!row) break;
    const std::int64_t id = oldest->Int64(0);
    const Offset end(oldest->Int64(1) + oldest->Int64(2));
    const std::int64_t bytes = oldest->Int64(3);
    const std::int64_t appended_ms = oldest->Int64(4);
    oldest->Reset();
    const bool too_old =
        retention.max_age && appended_ms < now_ms - *retention.max_age / kMicrosPerMilli;
    const bool too_many = retention.max_bytes && state.bytes - bytes >= *retention.max_bytes;
    if (!too_old && !too_many) break;
    WEIR_TRY(remove->Run(id));
    removed += end.value() - state.begin.value();
    state.begin = end;
    state.bytes -= bytes;
  }
  if (removed > 0) WEIR_TRY(file_.WritePartition(topic, partition, state));
  return removed;
}

}  // namespace weir::spool
