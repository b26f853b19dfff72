#include "app/run_progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "app/listing.h"
#include "base/digits.h"
#include "base/log.h"

namespace weir::app {
namespace {

constexpr Micros kLiveEvery = 250 * kMicrosPerMilli;
constexpr Micros kRateOver = 5 * kMicrosPerSecond;

std::int64_t SumOf(const std::map<std::string, std::int64_t>& sizes, std::string_view what) {
  std::int64_t sum = 0;
  for (const auto& [name, size] : sizes)
    if (name.ends_with(what)) sum += size;
  return sum;
}

std::int64_t Whole(double rate) { return std::llround(rate); }

}  // namespace

RunProgress::RunProgress(Session& session, const MeteredSource& source, ProgressOptions options)
    : session_(session),
      source_(source),
      options_(std::move(options)),
      started_(session.clock.Monotonic()),
      line_(session),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

RunProgress::~RunProgress() {
  thread_.request_stop();
  thread_.join();
}

void RunProgress::OnEpoch(const engine::EpochReport& report) {
  {
    const std::lock_guard lock(mutex_);
    epoch_ = report.epoch;
    committed_ += report.counts;
    state_keys_ = SumOf(report.state_sizes, ".keys");
    state_bytes_ = SumOf(report.state_sizes, ".bytes");
  }
  log::Debug("epoch committed", {{"epoch", report.epoch},
                                 {"read", report.counts.read},
                                 {"good", report.counts.good},
                                 {"duplicates", report.counts.duplicate},
                                 {"late", report.counts.late},
                                 {"quarantined", report.counts.quarantined},
                                 {"tombstones", report.counts.tombstone},
                                 {"took", FormatSpan(report.applied_at - report.cut_at)}});
}

void RunProgress::Work(const std::stop_token& stop) {
  const Micros every =
      line_.active() ? std::min(kLiveEvery, options_.log_every) : options_.log_every;
  Micros log_due = started_ + options_.log_every;
  while (true) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, std::chrono::microseconds(every), [] { return false; });
    lock.unlock();
    if (stop.stop_requested()) return;
    const Micros now = session_.clock.Monotonic();
    const bool log_is_due = !line_.active() && now + kMicrosPerMilli >= log_due;
    if (log_is_due) log_due = now + options_.log_every;
    Tick(now, log_is_due);
  }
}

void RunProgress::Tick(Micros now, bool log_is_due) {
  const std::int64_t records = source_.records();
  const double rate = Rate(now, records);
  if (line_.active()) line_.Show(LiveText(now, records, rate));
  if (!log_is_due) return;
  const std::lock_guard lock(mutex_);
  log::Info("progress", {{"epoch", epoch_},
                         {"read", records},
                         {"committed", committed_.read},
                         {"quarantined", committed_.quarantined},
                         {"state_keys", state_keys_},
                         {"state_bytes", state_bytes_},
                         {"rate", fmt::format("{}/s", Whole(rate))},
                         {"lag", LagText()}});
}

double RunProgress::Rate(Micros now, std::int64_t records) {
  samples_.push_back({now, records});
  while (samples_.size() > 2 &&
         now - samples_.front().at > std::max(kRateOver, options_.log_every)) {
    samples_.pop_front();
  }
  const Sample first = samples_.size() > 1 ? samples_.front() : Sample{started_, 0};
  const Micros span = std::max<Micros>(1, now - first.at);
  return static_cast<double>(records - first.records) * kMicrosPerSecond /
         static_cast<double>(span);
}

std::string RunProgress::LiveText(Micros now, std::int64_t records, double rate) {
  const std::lock_guard lock(mutex_);
  return fmt::format("{}  {}  epoch {}  {} read  {}/s  {}  {} quarantined", options_.pipeline,
                     FormatSpan(now - started_), epoch_, GroupDigits(records),
                     GroupDigits(Whole(rate)), LeftText(now, records, rate),
                     GroupDigits(committed_.quarantined));
}

std::string RunProgress::LagText() const {
  const Micros lag = source_.lag();
  return lag == 0 ? "0 s" : FormatSpan(lag);
}

std::string RunProgress::LeftText(Micros now, std::int64_t records, double rate) const {
  if (options_.run_for) {
    return FormatSpan(std::max<Micros>(0, *options_.run_for - (now - started_))) + " left";
  }
  if (!options_.to_the_end) return "lag " + LagText();
  const std::int64_t left = source_.backlog();
  const std::int64_t all = records + left;
  std::string text =
      fmt::format("{} % of {}", all == 0 ? 100 : 100 * records / all, GroupDigits(all));
  if (left > 0 && rate >= 1) {
    text += ", " +
            FormatSpan(static_cast<Micros>(static_cast<double>(left) / rate) * kMicrosPerSecond) +
            " left";
  }
  return text;
}

}  // namespace weir::app
