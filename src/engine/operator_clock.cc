#include "engine/operator_clock.h"

#include <algorithm>

namespace weir::engine {

using Source = std::map<Partition, stream::SourceState>;

void OperatorClock::Raise(const RecordFloor& floor) {
  const auto found = clock_.partitions().find(floor.partition);
  PartitionClock clock = found == clock_.partitions().end() ? PartitionClock() : found->second;
  clock.floor = std::max(clock.floor.value_or(kNoWatermark), floor.floor);
  clock_.Add(floor.partition, clock, 0);
}

void OperatorClock::Observe(std::span<stream::EventRow> rows, std::span<const RecordFloor> floors) {
  std::vector<RecordFloor> waiting(floors.begin(), floors.end());
  std::size_t from = 0;
  for (std::size_t at = 0; at < rows.size() && !waiting.empty(); ++at) {
    std::erase_if(waiting, [&](const RecordFloor& floor) {
      if (floor.partition != rows[at].partition || floor.offset > rows[at].offset) return false;
      clock_.Observe(rows.subspan(from, at - from));
      from = at;
      Raise(floor);
      return true;
    });
  }
  clock_.Observe(rows.subspan(from));
  for (const RecordFloor& floor : waiting) Raise(floor);
}

bool OperatorClock::IsUnread(Partition partition, const Source& source) const {
  const auto end = replay_->ends.find(partition);
  if (end == replay_->ends.end()) return false;
  const auto state = source.find(partition);
  return state == source.end() || state->second.next_offset < end->second;
}

// A partition without valid records that is read to its end holds nothing: it joins with its next
// one, as it would have there.
Micros OperatorClock::ReplayedWatermark(const Source& source) const {
  Micros watermark = replay_->watermark;
  for (const auto& [partition, clock] : clock_.partitions()) {
    const bool holds =
        IsUnread(partition, source) || (clock.max_event_time && !replay_->idle.contains(partition));
    if (holds) watermark = std::min(watermark, WatermarkOf(clock, rules_.delay));
  }
  return std::max(watermark, clock_.pipeline_watermark());
}

bool OperatorClock::AllIsRead(const Source& source) const {
  return std::ranges::none_of(replay_->ends,
                              [&](const auto& entry) { return IsUnread(entry.first, source); });
}

bool OperatorClock::IdleIsDue(const Source& source) const {
  return AllIsRead(source) && std::ranges::any_of(clock_.partitions(), [&](const auto& entry) {
           return !entry.second.idle && replay_->idle.contains(entry.first);
         });
}

void OperatorClock::Cut(Micros running, const Source& source) {
  if (!replay_) return clock_.Cut(running, source);
  clock_.SetPipelineWatermark(ReplayedWatermark(source));
  if (!AllIsRead(source)) return;
  // What goes on from here joins as it would have there.
  const auto partitions = clock_.partitions();
  for (auto [partition, clock] : partitions) {
    if (!replay_->idle.contains(partition)) continue;
    clock.idle = true;
    clock_.Add(partition, clock, running);
  }
}

bool OperatorClock::CutIsDue(Micros running, const Source& source) const {
  if (!replay_) return clock_.CutIsDue(running, source);
  return ReplayedWatermark(source) > clock_.pipeline_watermark() || IdleIsDue(source);
}

std::vector<Decision> OperatorClock::TakeDecisions() {
  auto decisions = clock_.TakeDecisions();
  if (replay_) decisions.clear();
  return decisions;
}

}  // namespace weir::engine
