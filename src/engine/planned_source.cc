#include "engine/planned_source.h"

#include <algorithm>

namespace weir::engine {
namespace {

class PlannedSource final : public connect::LogSource {
 public:
  PlannedSource(std::unique_ptr<connect::LogSource> source, const ReplayPlan& plan)
      : source_(std::move(source)), ends_(plan.target().ends), floors_(plan.floors) {}

  Result<connect::TopicInfo> Describe() override {
    WEIR_ASSIGN_OR_RETURN(auto topic, source_->Describe());
    std::erase_if(topic.partitions,
                  [&](const auto& entry) { return !ends_.contains(entry.first); });
    for (auto& [partition, bounds] : topic.partitions) {
      bounds.end = std::min(bounds.end, ends_.at(partition));
      bounds.begin = std::min(bounds.begin, bounds.end);
    }
    return topic;
  }
  Result<OffsetMap> OffsetsAt(std::int64_t timestamp_ms) override {
    return source_->OffsetsAt(timestamp_ms);
  }
  Status Assign(const OffsetMap& start) override { return source_->Assign(start); }
  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) override;
  OffsetMap Positions() const override {
    OffsetMap positions = source_->Positions();
    for (auto& [partition, next] : positions)
      if (const auto end = ends_.find(partition); end != ends_.end())
        next = std::min(next, end->second);
    return positions;
  }
  std::set<Partition> AtEnd() const override {
    std::set<Partition> at_end = source_->AtEnd();
    for (const auto& [partition, next] : Positions())
      if (ends_.contains(partition) && next >= ends_.at(partition)) at_end.insert(partition);
    return at_end;
  }
  Status ReportProgress(const OffsetMap&) override { return Ok(); }

 private:
  std::unique_ptr<connect::LogSource> source_;
  OffsetMap ends_;
  std::vector<RecordFloor> floors_;  // by partition and offset
};

Result<LogBatch> PlannedSource::Poll(Micros max_wait, std::size_t max_records) {
  WEIR_ASSIGN_OR_RETURN(LogBatch batch, source_->Poll(max_wait, max_records));
  std::erase_if(batch.records, [&](const LogRecord& record) {
    const auto end = ends_.find(record.partition);
    return end == ends_.end() || record.offset >= end->second;
  });
  auto place = [](const auto& at) { return std::pair(at.partition, at.offset); };
  for (const LogRecord& record : batch.records) {
    auto floor = std::ranges::lower_bound(floors_, place(record), {}, place);
    for (; floor != floors_.end() && place(*floor) == place(record); ++floor)
      batch.floors.push_back(*floor);
  }
  return batch;
}

}  // namespace

std::unique_ptr<connect::LogSource> LimitToPlan(std::unique_ptr<connect::LogSource> source,
                                                const ReplayPlan& plan) {
  return std::make_unique<PlannedSource>(std::move(source), plan);
}

}  // namespace weir::engine
