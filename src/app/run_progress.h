#pragma once
// RunProgress: shows how a running pipeline gets on: a live line on a terminal, elsewhere a log
// line now and then. A thread of its own looks at the meter; epochs are reported by the apply
// thread.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/live_line.h"
#include "app/metered_source.h"
#include "app/session.h"
#include "engine/pipeline.h"

namespace weir::app {

struct ProgressOptions {
  std::string pipeline;
  Micros log_every = 10 * kMicrosPerSecond;
  bool to_the_end = false;        // --once: there is an end, so show how much is left
  std::optional<Micros> run_for;  // --for
};

class RunProgress {
 public:
  /// All references must outlive it.
  RunProgress(Session& session, const MeteredSource& source, ProgressOptions options);
  ~RunProgress();

  void OnEpoch(const engine::EpochReport& report);

 private:
  struct Sample {
    Micros at;
    std::int64_t records;
  };

  void Work(const std::stop_token& stop);
  void Tick(Micros now, bool log_is_due);
  double Rate(Micros now, std::int64_t records);
  std::string LiveText(Micros now, std::int64_t records, double rate);
  std::string LagText() const;
  std::string LeftText(Micros now, std::int64_t records, double rate) const;

  Session& session_;
  const MeteredSource& source_;
  const ProgressOptions options_;
  const Micros started_;
  LiveLine line_;
  std::deque<Sample> samples_;  // of the last seconds, the display thread's

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::int64_t epoch_ = 0;         // guarded by mutex_
  state::LedgerCounts committed_;  // guarded by mutex_
  std::int64_t state_keys_ = 0;    // guarded by mutex_
  std::int64_t state_bytes_ = 0;   // guarded by mutex_
  std::jthread thread_;            // last: it uses all of the above
};

}  // namespace weir::app
