#pragma once
// SideWorkers: a few threads that stay, for pieces of work that mostly wait for a disk.
//
// A thread made for the occasion has to queue for a busy machine's processors before it can begin;
// one that slept is let in at once. They are made when first needed and end with this object. Safe
// from several threads. A folder store syncs by it.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weir::io {

class SideWorkers {
 public:
  explicit SideWorkers(std::size_t most) : most_(most) {}
  ~SideWorkers();
  SideWorkers(const SideWorkers&) = delete;
  SideWorkers& operator=(const SideWorkers&) = delete;

  /// Returns when all pieces are done. The caller does its share, and all where no thread is to be
  /// had.
  void RunAll(const std::vector<std::function<void()>>& pieces);

 private:
  struct Batch {
    const std::vector<std::function<void()>>& pieces;
    std::size_t next = 0;
    std::size_t done = 0;
  };

  void Hire(std::size_t wanted);
  void Work();
  void RunNext(Batch& batch, std::unique_lock<std::mutex>& lock);

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  // Guarded by mutex_.
  std::deque<Batch*> batches_;  // those with pieces that nobody took yet
  std::vector<std::thread> threads_;
  bool ending_ = false;
};

}  // namespace weir::io
