#include "app/scenario_log.h"

#include <algorithm>

namespace weir::app {
namespace {

constexpr int kMostPollsInVain = 10'000;  // then the pipeline waits for what will never come

}  // namespace

ScenarioLog::ScenarioLog(const Scenario& scenario) {
  std::map<Partition, Offset> ends;
  for (int i = 0; i < scenario.partitions; ++i) ends[Partition(i)] = Offset(0);
  for (const ScenarioPart& part : scenario.parts) {
    parts_.push_back(part.steps);
    for (const ScenarioStep& step : part.steps)
      if (const auto* record = std::get_if<ScenarioRecord>(&step))
        ends[record->partition] = Offset(record->offset.value() + 1);
    ends_.push_back(ends);
  }
}

void ScenarioLog::Shuffle(Random& random) {
  for (std::vector<ScenarioStep>& steps : parts_) {
    std::map<Partition, std::vector<ScenarioStep>> lanes;
    std::vector<Partition> order;
    for (ScenarioStep& step : steps) {
      const Partition partition = std::get<ScenarioRecord>(step).partition;
      order.push_back(partition);
      lanes[partition].push_back(std::move(step));
    }
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
    std::map<Partition, std::size_t> taken;
    steps.clear();
    for (Partition partition : order)
      steps.push_back(std::move(lanes[partition][taken[partition]++]));
  }
}

Micros ScenarioLog::PauseLeft(std::size_t part, std::size_t step) const {
  const Micros span = std::get<ScenarioPause>(parts_[part][step]).span;
  const auto spent = spent_.find({part, step});
  return spent == spent_.end() ? span : span - spent->second;
}

void ScenarioLog::SpendPause(std::size_t part, std::size_t step, Micros span) {
  spent_[{part, step}] += span;
}

Result<connect::TopicInfo> ScenarioSource::Describe() {
  if (!life_.Step()) return ScenarioLife::Death();
  connect::TopicInfo info{
      .topic = "scenario", .cluster_id = "memory", .topic_id = "1", .partitions = {}};
  for (const auto& [partition, end] : log_.ends(plan_.part))
    info.partitions[partition] = {.begin = Offset(0), .end = end};
  return info;
}

Status ScenarioSource::Assign(const OffsetMap& start) {
  positions_ = start;
  return Ok();
}

bool ScenarioSource::IsDone(std::size_t step) const {
  if (std::holds_alternative<ScenarioPause>(steps()[step]))
    return log_.PauseLeft(plan_.part, step) <= 0;
  const auto& record = std::get<ScenarioRecord>(steps()[step]);
  const auto at = positions_.find(record.partition);
  return at != positions_.end() && record.offset < at->second;
}

std::size_t ScenarioSource::NextStep() const {
  std::size_t step = 0;
  while (step < steps().size() && IsDone(step)) ++step;
  return step;
}

bool ScenarioSource::exhausted() const { return NextStep() == steps().size(); }

Result<LogBatch> ScenarioSource::Poll(Micros max_wait, std::size_t max_records) {
  if (!life_.Step()) return ScenarioLife::Death();
  const std::size_t step = NextStep();
  if (step == steps().size()) {
    if (plan_.stop_at_end) stop_.request_stop();
    if (++polls_in_vain_ > kMostPollsInVain)
      return Internal("the pipeline goes on although everything was read");
    clock_.Advance(plan_.stop_at_end ? 0 : max_wait);
    return LogBatch();
  }
  if (std::holds_alternative<ScenarioPause>(steps()[step])) {
    Pause(step, max_wait);
    return LogBatch();
  }
  LogBatch batch = TakeRecords(step, std::min(max_records, plan_.records_a_poll));
  if (plan_.stop_after_poll && !time_passed_) stop_.request_stop();
  return batch;
}

void ScenarioSource::Pause(std::size_t step, Micros max_wait) {
  time_passed_ = true;
  life_.MakeImmortal();
  const Micros span = std::min(max_wait, log_.PauseLeft(plan_.part, step));
  clock_.Advance(span);
  log_.SpendPause(plan_.part, step, span);
}

// Records up to the next pause that meet the same wall clock.
LogBatch ScenarioSource::TakeRecords(std::size_t step, std::size_t limit) {
  LogBatch batch;
  const Micros wall = std::get<ScenarioRecord>(steps()[step]).wall;
  clock_.SetWall(wall);
  for (; step < steps().size() && batch.records.size() < limit; ++step) {
    const auto* record = std::get_if<ScenarioRecord>(&steps()[step]);
    if (record == nullptr) {
      if (log_.PauseLeft(plan_.part, step) > 0) break;
      continue;
    }
    if (IsDone(step)) continue;
    if (record->wall != wall) break;
    LogRecord out;
    out.partition = record->partition;
    out.offset = record->offset;
    if (record->key) out.key = *record->key;
    if (record->value) out.value = *record->value;
    batch.bytes += record->value.value_or("").size();
    batch.records.push_back(out);
    positions_[record->partition] = Offset(record->offset.value() + 1);
  }
  return batch;
}

std::vector<const ScenarioRecord*> ScenarioSource::Arrived() const {
  std::vector<const ScenarioRecord*> records;
  for (std::size_t step = 0; step < steps().size(); ++step) {
    if (const auto* record = std::get_if<ScenarioRecord>(&steps()[step])) {
      records.push_back(record);
    } else if (!std::get<ScenarioPause>(steps()[step]).backlog &&
               log_.PauseLeft(plan_.part, step) > 0) {
      break;
    }
  }
  return records;
}

std::set<Partition> ScenarioSource::AtEnd() const {
  std::set<Partition> at_end;
  for (const auto& [partition, position] : positions_) at_end.insert(partition);
  for (std::size_t step = NextStep(); step < steps().size(); ++step) {
    if (const auto* record = std::get_if<ScenarioRecord>(&steps()[step])) {
      if (!IsDone(step)) at_end.erase(record->partition);
    } else if (!std::get<ScenarioPause>(steps()[step]).backlog &&
               log_.PauseLeft(plan_.part, step) > 0) {
      break;
    }
  }
  return at_end;
}

}  // namespace weir::app
