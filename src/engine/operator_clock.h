#pragma once
// OperatorClock: the event clock of a live run, or of a replay of one.
//
// Live it is a stream::EventClock. A replay decides nothing by the wall clock: floors come with the
// records, no partition goes idle before the end, and the pipeline watermark is held by every
// partition that has something unread, and by where the repeated run stood. So nothing is closed
// too early, and at the end just what was closed there. One thread.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/event_operators.h"
#include "stream/event_clock.h"

namespace weir::engine {

class OperatorClock {
 public:
  OperatorClock(const WatermarkRules& rules, std::optional<ReplayTarget> replay)
      : rules_(rules), clock_(rules), replay_(std::move(replay)) {}

  void Add(Partition partition, PartitionClock clock, Micros running) {
    clock_.Add(partition, clock, running);
  }
  void SetPipelineWatermark(Micros watermark) { clock_.SetPipelineWatermark(watermark); }

  /// Rows in log order. A floor holds from its record on, whether that became a row or not.
  void Observe(std::span<stream::EventRow> rows, std::span<const RecordFloor> floors);
  void Cut(Micros running, const std::map<Partition, stream::SourceState>& source);
  /// Between cuts; see EventClock::Look. Does nothing in a replay.
  void Look() {
    if (!replay_) clock_.Look();
  }
  bool CutIsDue(Micros running, const std::map<Partition, stream::SourceState>& source) const;
  /// None in a replay.
  std::vector<Decision> TakeDecisions();

  Micros pipeline_watermark() const { return clock_.pipeline_watermark(); }
  const std::map<Partition, PartitionClock>& partitions() const { return clock_.partitions(); }
  std::string Explain() const { return clock_.Explain(); }

 private:
  void Raise(const RecordFloor& floor);
  bool IsUnread(Partition partition, const std::map<Partition, stream::SourceState>& source) const;
  Micros ReplayedWatermark(const std::map<Partition, stream::SourceState>& source) const;
  bool AllIsRead(const std::map<Partition, stream::SourceState>& source) const;
  bool IdleIsDue(const std::map<Partition, stream::SourceState>& source) const;

  WatermarkRules rules_;
  stream::EventClock clock_;
  std::optional<ReplayTarget> replay_;
};

}  // namespace weir::engine
