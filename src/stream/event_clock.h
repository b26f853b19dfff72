#pragma once
// EventClock: the watermarks of the partitions, and the pipeline's, which is the least of them.
//
// A partition's watermark is max(event time of its valid records) - delay, never below its floor;
// it moves with every valid record. The pipeline watermark is looked at when an epoch is cut (and
// in between, by Look), and never falls. A partition with something unread holds it even while it
// is idle: a backlog is no idleness. Silence is measured from cut to cut. What depends on the wall
// clock (idle, silent, joined) is decided here once and handed out as a Decision, so that it can be
// recorded. docs/SEMANTICS.md has the definitions. Pure: time comes in as arguments. Not thread
// safe.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "record/offsets.h"
#include "record/operator_rules.h"
#include "record/partition_clock.h"
#include "stream/event_row.h"

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
  /// that joins (idle, new or never heard, while the pipeline has a watermark) gets its floor
  /// before that, and a kJoined decision.
  Micros Observe(Partition partition, Offset offset, Micros event_time);
  /// The same for rows in log order; fills in their watermarks.
  void Observe(std::span<EventRow> rows);

  /// At a cut: who became idle, and the pipeline watermark after it. `running`: running time of
  /// this process, monotonic. Partitions absent from `source` are taken as unread.
  void Cut(Micros running, const std::map<Partition, SourceState>& source);
  /// Between cuts: moves the pipeline watermark on as a cut would if every partition had something
  /// unread, so idle ones hold it, and nothing is decided by a clock. Who joins later joins there.
  void Look();
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
  struct Silent {
    Micros since = 0;
    bool heard = false;
    Partition partition;
    std::pair<Micros, bool> Key() const { return {since, heard}; }
  };
  void Join(Partition partition, Offset offset, PartitionClock& clock);
  std::vector<Silent> DueForIdle(Micros running,
                                 const std::map<Partition, SourceState>& source) const;
  void MakeIdle(Partition partition, Offset offset, DecisionKind kind);
  void Advance();
  void FollowSilence(Micros running);
  bool AllAreSilent(const std::map<Partition, SourceState>& source) const;
  Micros SilenceStart() const;
  Micros HeardAt(Partition partition, Micros running) const;

  WatermarkRules rules_;
  std::map<Partition, PartitionClock> clocks_;
  std::map<Partition, Micros> heard_at_;  // running time at the last valid record
  std::set<Partition> unread_;            // idle ones that had something unread at the last cut
  std::optional<Micros> silence_from_;    // running time up to which silence has been counted
  Micros pipeline_ = kNoWatermark;
  std::vector<Decision> decisions_;
};

}  // namespace weir::stream
