#include "engine/patience.h"

#include <algorithm>

#include "base/log.h"

namespace weir::engine {
namespace {

constexpr Micros kFirstWait = 50 * kMicrosPerMilli;
constexpr Micros kLongestWait = 2 * kMicrosPerSecond;
constexpr Micros kSayEvery = 60 * kMicrosPerSecond;

}  // namespace

Patience::Patience(Clock& clock, PatienceRules rules, std::string_view waiting_for)
    : clock_(clock), rules_(std::move(rules)), waiting_for_(waiting_for), jitter_(EntropyU64()) {}

Status Patience::After(const Error& error) {
  const Micros now = clock_.Monotonic();
  if (failures_++ == 0) first_failure_ = now;
  const Micros waited = now - first_failure_;
  if (rules_.limit && waited >= *rules_.limit) return error;
  if (rules_.stop.stop_requested()) {
    if (!stop_seen_) stop_seen_ = now;
    if (now - *stop_seen_ >= rules_.grace_after_stop) return error;
  }
  if (waited >= kMicrosPerSecond && (last_said_ == 0 || now - last_said_ >= kSayEvery)) {
    last_said_ = now;
    log::Warn("waiting for " + std::string(waiting_for_),
              {{"for", FormatSpan(waited)}, {"because", error.ToString()}});
  }
  const int doublings = std::min(failures_ - 1, 6);
  const Micros wait = std::min(kLongestWait, kFirstWait << doublings);
  clock_.Sleep(wait / 2 + static_cast<Micros>(jitter_.Below(static_cast<std::uint64_t>(wait / 2))));
  return Ok();
}

void Patience::Reset() {
  if (last_said_ != 0) log::Info("back: " + std::string(waiting_for_));
  failures_ = 0;
  last_said_ = 0;
}

}  // namespace weir::engine
