#include "kafka/arena.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weir::kafka {

namespace {
constexpr std::size_t kBlock = 1U << 20;
constexpr std::size_t kMostKept = 4;                // arenas on the shelf
constexpr std::size_t kMostCapacity = 16 * kBlock;  // larger ones are given back
}  // namespace

char* Arena::Allocate(std::size_t n) {
  n = (n + 7) & ~std::size_t{7};
  while (block_ < blocks_.size() && blocks_[block_].size - used_ < n) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    const std::size_t size = std::max(n, kBlock);
    blocks_.push_back({.bytes = std::unique_ptr<char[]>(new char[size]), .size = size});
    capacity_ += size;
    used_ = 0;
  }
  char* room = blocks_[block_].bytes.get() + used_;
  used_ += n;
  return room;
}

std::string_view Arena::Copy(const void* bytes, std::size_t n) {
  if (n == 0) return "";
  char* room = Allocate(n);
  std::memcpy(room, bytes, n);
  return {room, n};
}

void Arena::Clear() {
  block_ = 0;
  used_ = 0;
}

std::shared_ptr<Arena> ArenaPool::Take() {
  std::unique_ptr<Arena> arena;
  {
    const std::lock_guard lock(shelf_->mutex);
    if (!shelf_->arenas.empty()) {
      arena = std::move(shelf_->arenas.back());
      shelf_->arenas.pop_back();
    }
  }
  if (!arena) arena = std::make_unique<Arena>();
  return {arena.release(), [shelf = shelf_](Arena* used) {
            std::unique_ptr<Arena> own(used);
            if (own->capacity() > kMostCapacity) return;
            own->Clear();
            const std::lock_guard lock(shelf->mutex);
            if (shelf->arenas.size() < kMostKept) shelf->arenas.push_back(std::move(own));
          }};
}

}  // namespace weir::kafka
