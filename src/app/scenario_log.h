#pragma once
// ScenarioLog: the log of one run of a scenario, and the source that a process reads it through.
//
// The source hands records out in the order in which they arrive, sets the wall clock as it goes,
// and lets time pass where the scenario says so; a pause that is over stays over, whoever reads
// next. One thread.

#include <cstdint>
#include <map>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

#include "app/scenario.h"
#include "app/scenario_life.h"
#include "base/clock.h"
#include "base/random.h"
#include "connect/log_source.h"

namespace weir::app {

class ScenarioLog {
 public:
  explicit ScenarioLog(const Scenario& scenario);
  /// Other interleavings of the partitions, each in its own order.
  void Shuffle(Random& random);

  const std::vector<ScenarioStep>& part(std::size_t number) const { return parts_[number]; }
  /// Where the partitions end when everything of a part has arrived.
  const std::map<Partition, Offset>& ends(std::size_t part) const { return ends_[part]; }

  /// What is left of a pause.
  Micros PauseLeft(std::size_t part, std::size_t step) const;
  void SpendPause(std::size_t part, std::size_t step, Micros span);

 private:
  std::vector<std::vector<ScenarioStep>> parts_;
  std::vector<std::map<Partition, Offset>> ends_;
  std::map<std::pair<std::size_t, std::size_t>, Micros> spent_;
};

/// How a process reads.
struct ReadingPlan {
  std::size_t part = 0;
  std::size_t records_a_poll = 4096;
  bool stop_after_poll = false;  // a signal comes after the first records, before any pause
  bool stop_at_end = false;      // a signal comes when everything was read
};

class ScenarioSource final : public connect::LogSource {
 public:
  ScenarioSource(ScenarioLog& log, ReadingPlan plan, ManualClock& clock, ScenarioLife& life)
      : log_(log), plan_(plan), clock_(clock), life_(life) {}

  Result<connect::TopicInfo> Describe() override;
  Result<OffsetMap> OffsetsAt(std::int64_t) override { return OffsetMap(); }
  Status Assign(const OffsetMap& start) override;
  Result<LogBatch> Poll(Micros max_wait, std::size_t max_records) override;
  OffsetMap Positions() const override { return positions_; }
  std::set<Partition> AtEnd() const override;
  Status ReportProgress(const OffsetMap&) override { return Ok(); }

  /// The records of the part that are in the log by now, read or not.
  std::vector<const ScenarioRecord*> Arrived() const;
  std::stop_token stop_token() const { return stop_.get_token(); }
  /// Everything of the part was read, and all its pauses are over.
  bool exhausted() const;

 private:
  const std::vector<ScenarioStep>& steps() const { return log_.part(plan_.part); }
  bool IsDone(std::size_t step) const;
  std::size_t NextStep() const;
  LogBatch TakeRecords(std::size_t step, std::size_t limit);
  void Pause(std::size_t step, Micros max_wait);

  ScenarioLog& log_;
  ReadingPlan plan_;
  ManualClock& clock_;
  ScenarioLife& life_;
  std::stop_source stop_;
  OffsetMap positions_;
  bool time_passed_ = false;
  int polls_in_vain_ = 0;
};

}  // namespace weir::app
