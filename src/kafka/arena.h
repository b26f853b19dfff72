#pragma once
// Arena: the bytes of one batch of records, given back all at once. Arenas are reused, so that a
// steady stream asks the system for no memory. For the inside of this folder.

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace weir::kafka {

class Arena {
 public:
  /// Room for n bytes, aligned to 8, until Clear.
  char* Allocate(std::size_t n);
  std::string_view Copy(const void* bytes, std::size_t n);
  void Clear();
  std::size_t capacity() const { return capacity_; }

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // the one in use
  std::size_t used_ = 0;   // of it
  std::size_t capacity_ = 0;
};

/// Hands out arenas and takes them back from whatever thread drops them last.
class ArenaPool {
 public:
  std::shared_ptr<Arena> Take();

 private:
  struct Shelf {
    std::mutex mutex;
    std::vector<std::unique_ptr<Arena>> arenas;  // guarded by mutex
  };
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

}  // namespace weir::kafka
