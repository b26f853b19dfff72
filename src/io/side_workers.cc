#include "io/side_workers.h"

#include <algorithm>
#include <system_error>

namespace weir::io {

SideWorkers::~SideWorkers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void SideWorkers::RunAll(const std::vector<std::function<void()>>& pieces) {
  if (pieces.empty()) return;
  Batch batch{.pieces = pieces};
  std::unique_lock lock(mutex_);
  Hire(pieces.size() - 1);
  batches_.push_back(&batch);
  work_.notify_all();
  while (batch.next < pieces.size()) RunNext(batch, lock);
  done_.wait(lock, [&] { return batch.done == pieces.size(); });
}

void SideWorkers::Hire(std::size_t wanted) {
  while (threads_.size() < std::min(wanted, most_)) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      return;
    }
  }
}

void SideWorkers::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return ending_ || !batches_.empty(); });
    if (batches_.empty()) return;
    RunNext(*batches_.front(), lock);
  }
}

// Called with the lock, which is free while the piece runs. A batch is its caller's, and gone once
// its last piece is counted.
void SideWorkers::RunNext(Batch& batch, std::unique_lock<std::mutex>& lock) {
  const std::function<void()>& piece = batch.pieces[batch.next++];
  if (batch.next == batch.pieces.size()) std::erase(batches_, &batch);
  lock.unlock();
  piece();
  lock.lock();
  if (++batch.done == batch.pieces.size()) done_.notify_all();
}

}  // namespace weir::io
