#include "stream/event_clock.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace weir::stream {

namespace {

// Heard since the last cut: the next one says when.
constexpr Micros kSinceCut = std::numeric_limits<Micros>::max();

// A cut for the sake of silence alone is worth while when the watermark gains this much.
constexpr Micros kSilenceStep = kMicrosPerSecond;

const SourceState* Find(const std::map<Partition, SourceState>& source, Partition partition) {
  const auto found = source.find(partition);
  return found == source.end() ? nullptr : &found->second;
}

}  // namespace

void EventClock::Add(Partition partition, PartitionClock clock, Micros running) {
  clocks_[partition] = clock;
  heard_at_[partition] = running;
}

void EventClock::Join(Partition partition, Offset offset, PartitionClock& clock) {
  clock.idle = false;
  unread_.erase(partition);
  if (pipeline_ == kNoWatermark) return;
  clock.floor = std::max(clock.floor.value_or(kNoWatermark), pipeline_);
  decisions_.push_back({DecisionKind::kJoined, partition, offset, *clock.floor});
}

Micros EventClock::Observe(Partition partition, Offset offset, Micros event_time) {
  EventRow row{.partition = partition, .offset = offset, .event_time = event_time};
  Observe({&row, 1});
  return row.watermark;
}

void EventClock::Observe(std::span<EventRow> rows) {
  for (std::size_t at = 0; at < rows.size();) {
    const Partition partition = rows[at].partition;
    PartitionClock& clock = clocks_[partition];
    if (clock.idle || !clock.max_event_time) Join(partition, rows[at].offset, clock);
    heard_at_[partition] = kSinceCut;
    // Rows of one partition come in long runs: one look-up for all of them.
    Micros watermark = WatermarkOf(clock, rules_.delay);
    for (; at < rows.size() && rows[at].partition == partition; ++at) {
      rows[at].watermark = watermark;
      if (clock.max_event_time && rows[at].event_time <= *clock.max_event_time) continue;
      clock.max_event_time = rows[at].event_time;
      watermark = WatermarkOf(clock, rules_.delay);
    }
  }
}

Micros EventClock::HeardAt(Partition partition, Micros running) const {
  const auto heard = heard_at_.find(partition);
  return heard == heard_at_.end() || heard->second == kSinceCut ? running : heard->second;
}

// Those whose silence is long enough, in the order in which it became so; never heard ones first.
std::vector<EventClock::Silent> EventClock::DueForIdle(
    Micros running, const std::map<Partition, SourceState>& source) const {
  std::vector<Silent> due;
  if (!rules_.idle_after) return due;
  for (const auto& [partition, clock] : clocks_) {
    const SourceState* state = Find(source, partition);
    if (clock.idle || state == nullptr || !state->read_to_end) continue;
    const Micros since = HeardAt(partition, running);
    if (running - since < *rules_.idle_after) continue;
    due.push_back({since, clock.max_event_time.has_value(), partition});
  }
  std::ranges::stable_sort(due, {}, &Silent::Key);
  return due;
}

void EventClock::MakeIdle(Partition partition, Offset offset, DecisionKind kind) {
  clocks_[partition].idle = true;
  decisions_.push_back({kind, partition, offset, kNoWatermark});
}

void EventClock::Advance() {
  std::optional<Micros> least;
  for (const auto& [partition, clock] : clocks_) {
    if (clock.idle && !unread_.contains(partition)) continue;
    const Micros watermark = WatermarkOf(clock, rules_.delay);
    least = std::min(least.value_or(watermark), watermark);
  }
  if (least) pipeline_ = std::max(pipeline_, *least);
}

void EventClock::Look() {
  if (clocks_.empty()) return;
  Micros least = std::numeric_limits<Micros>::max();
  for (const auto& [partition, clock] : clocks_) {
    least = std::min(least, WatermarkOf(clock, rules_.delay));
  }
  pipeline_ = std::max(pipeline_, least);
}

void EventClock::Cut(Micros running, const std::map<Partition, SourceState>& source) {
  for (const auto& [partition, state] : source) {
    if (!clocks_.contains(partition)) Add(partition, {}, running);
  }
  for (auto& [partition, heard] : heard_at_) {
    if (heard == kSinceCut) heard = running;
  }
  unread_.clear();
  for (const auto& [partition, clock] : clocks_) {
    const SourceState* state = Find(source, partition);
    if (clock.idle && (state == nullptr || !state->read_to_end)) unread_.insert(partition);
  }
  for (const auto& [partition, state] : source) {
    if (!state.empty || clocks_[partition].idle) continue;
    MakeIdle(partition, state.next_offset, DecisionKind::kEmpty);
  }
  Advance();
  // As if a cut had been made at the moment when each became idle, so that it makes no difference
  // whether one cut or several saw them go: the watermark is not lost with the last of them.
  const std::vector<Silent> due = DueForIdle(running, source);
  for (std::size_t at = 0; at < due.size(); ++at) {
    const Silent& silent = due[at];
    if (at > 0 && silent.Key() != due[at - 1].Key()) Advance();
    MakeIdle(silent.partition, source.at(silent.partition).next_offset, DecisionKind::kIdle);
  }
  Advance();
  if (rules_.advance_on_silence && AllAreSilent(source)) {
    FollowSilence(running);
  } else {
    silence_from_.reset();
  }
}

bool EventClock::AllAreSilent(const std::map<Partition, SourceState>& source) const {
  if (clocks_.empty() || pipeline_ == kNoWatermark) return false;
  return std::ranges::all_of(clocks_, [&](const auto& entry) {
    const SourceState* state = Find(source, entry.first);
    return entry.second.idle && state != nullptr && state->read_to_end;
  });
}

Micros EventClock::SilenceStart() const {
  if (silence_from_) return *silence_from_;
  Micros last = std::numeric_limits<Micros>::min();
  for (const auto& [partition, heard] : heard_at_) last = std::max(last, heard);
  return last;
}

void EventClock::FollowSilence(Micros running) {
  const Micros silence = running - SilenceStart();
  silence_from_ = running;
  if (silence <= 0) return;
  pipeline_ += silence;
  decisions_.push_back({DecisionKind::kSilence, Partition(), Offset(), pipeline_});
}

bool EventClock::CutIsDue(Micros running, const std::map<Partition, SourceState>& source) const {
  for (const auto& [partition, state] : source) {
    const auto clock = clocks_.find(partition);
    if (state.empty && (clock == clocks_.end() || !clock->second.idle)) return true;
  }
  if (!DueForIdle(running, source).empty()) return true;
  if (!rules_.advance_on_silence || !AllAreSilent(source)) return false;
  const Micros since = SilenceStart();
  return since != kSinceCut && running - since >= kSilenceStep;
}

std::vector<Decision> EventClock::TakeDecisions() { return std::exchange(decisions_, {}); }

std::string EventClock::Explain() const {
  if (clocks_.empty()) return "no pipeline watermark: no partition is being read";
  const std::string stands = pipeline_ == kNoWatermark ? "no pipeline watermark"
                                                       : fmt::format("the pipeline watermark is {}",
                                                                     FormatTime(pipeline_));
  std::optional<std::pair<Micros, Partition>> holder;
  for (const auto& [partition, clock] : clocks_) {
    if (clock.idle && !unread_.contains(partition)) continue;
    const std::pair<Micros, Partition> here(WatermarkOf(clock, rules_.delay), partition);
    if (!holder || here < *holder) holder = here;
  }
  if (!holder) {
    return fmt::format("{}: all partitions are idle{}", stands,
                       silence_from_ ? ", and it follows the time of their silence"
                                     : ", and it stays until one of them has a valid record");
  }
  const auto& [watermark, partition] = *holder;
  const PartitionClock& clock = clocks_.at(partition);
  if (watermark == kNoWatermark) {
    return fmt::format("{}: partition {} has had no valid record yet", stands, partition.value());
  }
  std::string why = fmt::format("{}, held by partition {}", stands, partition.value());
  if (clock.max_event_time && !(clock.floor && *clock.floor == watermark)) {
    why += fmt::format(": its newest event is of {}, less the delay of {}",
                       FormatTime(*clock.max_event_time), FormatSpan(rules_.delay));
  } else {
    why += fmt::format(": it joined at {} and has had no later event", FormatTime(watermark));
  }
  if (clock.idle) why += "; it was idle, and has records that are not read yet";
  if (watermark < pipeline_) why += "; the pipeline watermark never falls back to that";
  if (watermark > pipeline_) why += "; the next cut moves the pipeline watermark";
  return why;
}

}  // namespace weir::stream
