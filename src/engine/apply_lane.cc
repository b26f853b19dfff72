#include "engine/apply_lane.h"

#include "base/log.h"

namespace weir::engine {

ApplyLane::ApplyLane(Applier applier, Collector& collector, std::span<OpenTable> tables,
                     std::function<void(const state::EpochRecord&)> on_applied, ApplyTurn turn)
    : applier_(std::move(applier)),
      collector_(collector),
      tables_(tables),
      on_applied_(std::move(on_applied)),
      turn_(std::move(turn)) {
  if (!turn_) thread_ = std::thread([this] { Work(); });
}

ApplyLane::~ApplyLane() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status ApplyLane::Submit(state::EpochRecord record) {
  std::unique_lock lock(mutex_);
  if (!turn_)
    changed_.wait(lock, [&] { return failure_ || waiting_.size() + (working_ ? 1 : 0) < kDepth; });
  if (failure_) return *failure_;
  waiting_.push_back(std::move(record));
  while (turn_ && !failure_ && !waiting_.empty() && (waiting_.size() >= kDepth || turn_()))
    WorkOnFront(lock);
  lock.unlock();
  changed_.notify_all();
  return Ok();
}

Status ApplyLane::Drain() {
  std::unique_lock lock(mutex_);
  while (turn_ && !failure_ && !waiting_.empty()) WorkOnFront(lock);
  changed_.wait(lock, [&] { return failure_ || (waiting_.empty() && !working_); });
  if (failure_) return *failure_;
  return Ok();
}

std::int64_t ApplyLane::applied_through() const {
  std::lock_guard lock(mutex_);
  return applied_through_;
}

Status ApplyLane::Health() const {
  std::lock_guard lock(mutex_);
  if (failure_) return *failure_;
  return Ok();
}

void ApplyLane::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    WorkOnFront(lock);
    if (failure_) return;
  }
}

void ApplyLane::WorkOnFront(std::unique_lock<std::mutex>& lock) {
  const state::EpochRecord record = std::move(waiting_.front());
  waiting_.pop_front();
  working_ = true;
  lock.unlock();
  Status status = ApplyOne(record);
  lock.lock();
  working_ = false;
  if (status)
    applied_through_ = record.epoch;
  else
    failure_ = std::move(status).error();
  changed_.notify_all();
}

Status ApplyLane::ApplyOne(const state::EpochRecord& record) {
  WEIR_TRY(applier_.Apply(record));
  on_applied_(record);
  collector_.CollectOwn(record.writer, record.epoch);
  for (OpenTable& table : tables_) {
    if (!record.tables.contains(table.name)) continue;
    if (auto cleaned = table.table->CleanUp(); !cleaned)
      log::Warn("old table files stay for later",
                {{"table", table.name}, {"because", cleaned.error().ToString()}});
  }
  return Ok();
}

}  // namespace weir::engine
