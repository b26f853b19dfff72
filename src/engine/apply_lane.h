#pragma once
// ApplyLane: the thread that applies decided epochs in order while the next epoch is being read.
//
// The owner submits records; at most `depth` may wait or be in work, then Submit blocks. After each
// record the lane collects what is no longer needed. The first error ends the lane: nothing more is
// applied, Submit and Drain return that error. Destroying it waits for the record in work.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/result.h"
#include "engine/applier.h"
#include "engine/collector.h"

namespace weir::engine {

/// For the simulation, which has no threads: asked after each Submit whether to apply one more now.
using ApplyTurn = std::function<bool()>;

class ApplyLane {
 public:
  /// on_applied: called after each record is in all its tables. turn: nullptr = own thread; else
  /// everything happens inside Submit and Drain.
  ApplyLane(Applier applier, Collector& collector, std::span<OpenTable> tables,
            std::function<void(const state::EpochRecord&)> on_applied, ApplyTurn turn = nullptr);
  ~ApplyLane();

  Status Submit(state::EpochRecord record);
  /// Waits until everything submitted is applied.
  Status Drain();
  /// Newest own epoch that is in all tables; 0 = none yet.
  std::int64_t applied_through() const;
  /// Why applying stopped, if it did: nobody else would say so while no records come.
  Status Health() const;

  static constexpr std::size_t kDepth = 2;

 private:
  void Work();
  void WorkOnFront(std::unique_lock<std::mutex>& lock);
  Status ApplyOne(const state::EpochRecord& record);

  Applier applier_;
  Collector& collector_;
  std::span<OpenTable> tables_;
  std::function<void(const state::EpochRecord&)> on_applied_;
  ApplyTurn turn_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<state::EpochRecord> waiting_;  // guarded by mutex_
  bool working_ = false;                    // guarded by mutex_
  bool closing_ = false;                    // guarded by mutex_
  std::int64_t applied_through_ = 0;        // guarded by mutex_
  std::optional<Error> failure_;            // guarded by mutex_
  std::thread thread_;
};

}  // namespace weir::engine
