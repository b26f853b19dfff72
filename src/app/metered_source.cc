#include "app/metered_source.h"

#include <algorithm>

namespace weir::app {

Result<connect::TopicInfo> MeteredSource::Describe() {
  auto topic = source_.Describe();
  if (topic) {
    for (const auto& [partition, bounds] : topic->partitions) ends_[partition] = bounds.end;
    CountBacklog();
  }
  return topic;
}

Result<OffsetMap> MeteredSource::OffsetsAt(std::int64_t timestamp_ms) {
  return source_.OffsetsAt(timestamp_ms);
}

Status MeteredSource::Assign(const OffsetMap& start) {
  Status done = source_.Assign(start);
  CountBacklog();
  return done;
}

Result<LogBatch> MeteredSource::Poll(Micros max_wait, std::size_t max_records) {
  auto batch = source_.Poll(max_wait, max_records);
  if (!batch) return batch;
  records_ += static_cast<std::int64_t>(batch->records.size());
  if (!batch->empty()) {
    last_timestamp_ms_ = batch->records.back().timestamp_ms;
    CountBacklog();
  }
  caught_up_ = batch->empty();
  return batch;
}

void MeteredSource::CountBacklog() {
  const OffsetMap positions = source_.Positions();
  const std::lock_guard lock(mutex_);
  for (const auto& [partition, offset] : positions) {
    const auto end = ends_.find(partition);
    if (end != ends_.end())
      waiting_[partition] = std::max<std::int64_t>(0, end->second.value() - offset.value());
  }
}

std::int64_t MeteredSource::backlog() const {
  const std::lock_guard lock(mutex_);
  std::int64_t all = 0;
  for (const auto& [partition, waiting] : waiting_) all += waiting;
  return all;
}

std::map<Partition, std::int64_t> MeteredSource::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

Micros MeteredSource::lag() const {
  const std::int64_t last_ms = last_timestamp_ms_;
  if (caught_up_ || last_ms < 0) return 0;
  return std::max<Micros>(0, clock_.Now() - last_ms * kMicrosPerMilli);
}

}  // namespace weir::app
