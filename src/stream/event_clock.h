#pragma once
// EventClock: the watermarks of the partitions, and the pipeline's, which is the least of them.
//
// A partition's watermark is max(event time of its valid records) - delay, never below its floor;
// it moves with every valid record. The pipeline watermark is looked at when an epoch is cut, and
// never falls. What depends on the wall clock (idle, silent, joined) is decided here once and handed
// out as a Decision, so that it can be recorded. docs/SEMANTICS.md has the definitions. Pure: time
// comes in as arguments. Not thread safe.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "record/offsets.h"
#include "record/operator_rules.h"
#include "record/partition_clock.h"

namespace weir::stream {

/// One partition as the source sees it when an epoch is cut.
struct SourceState {
  Offset next_offset;
  bool read_to_end = false;  // nothing unread right now
  bool empty = false;        // bounded run at its end: had no record from start to end
};

class EventClock {
 public:
  explicit EventClock(WatermarkRules rules) : rules_(rules) {}

  /// State of a partition that this process owns from now on. `running`: this process's running
  /// time, from which its silence counts.
  void Add(Partition partition, PartitionClock clock, Micros running);
  void SetPipelineWatermark(Micros watermark) { pipeline_ = watermark; }

  /// The watermark that a valid record meets; then its event time moves the watermark. A partition
  /// that joins (idle, new or never heard, while the pipeline has a watermark) gets its floor before
  /// that, and a kJoined decision.
  Micros Observe(Partition partition, Offset offset, Micros event_time);

  /// At a cut: who became idle, and the pipeline watermark after it. `running`: running time of this
  /// process, monotonic. Partitions absent from `source` are taken as unread.
  void Cut(Micros running, const std::map<Partition, SourceState>& source);
  /// Whether Cut would decide something now although no record came (idle or silence is due).
  bool CutIsDue(Micros running, const std::map<Partition, SourceState>& source) const;

  /// kNoWatermark: none yet.
  Micros pipeline_watermark() const { return pipeline_; }
  const std::map<Partition, PartitionClock>& partitions() const { return clocks_; }
  /// Decisions since the last call, in the order in which they were made.
  std::vector<Decision> TakeDecisions();

  /// Why the pipeline watermark is where it is, in a sentence: which partition holds it.
  std::string Explain() const;

 private:
  // (the implementation's)
  WatermarkRules rules_;
  std::map<Partition, PartitionClock> clocks_;
  std::map<Partition, Micros> heard_at_;  // running time of the last valid record
  Micros pipeline_ = kNoWatermark;
  std::vector<Decision> decisions_;
};

}  // namespace weir::stream
