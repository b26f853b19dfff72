#pragma once
// FlatMemory: a zeroed block for flat tables, aligned to a cache line. FlatArena: where the large
// ones come from: regions that ask for huge pages, so that a random read costs one miss and not a
// walk through page tables as well, which on a virtual machine costs more than the read.
//
// What is freed serves later blocks; where most of an arena is free it goes back to the system. An
// arena outlives its blocks. Not thread safe. Running out of memory throws std::bad_alloc, as new
// does.

#include <cstddef>
#include <map>
#include <vector>

namespace weir::stream {

class FlatArena {
 public:
  FlatArena() = default;
  FlatArena(const FlatArena&) = delete;
  FlatArena& operator=(const FlatArena&) = delete;
  ~FlatArena();

  /// Zeroed.
  std::byte* Take(std::size_t bytes);
  void Give(std::byte* block, std::size_t bytes);

 private:
  struct Region {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    std::byte* used_to = nullptr;  // what is behind was never given out, so it is zero
  };
  void AddRegion(std::size_t least);
  bool StartsRegion(const std::byte* at) const;

  std::vector<Region> regions_;
  std::map<std::byte*, std::size_t> holes_;  // no two touch within a region
  std::size_t mapped_ = 0;
};

class FlatMemory {
 public:
  FlatMemory() = default;
  FlatMemory(std::size_t bytes, FlatArena& arena);
  FlatMemory(FlatMemory&& other) noexcept;
  FlatMemory& operator=(FlatMemory&& other) noexcept;
  ~FlatMemory();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  FlatArena* arena_ = nullptr;  // of a large block
};

}  // namespace weir::stream
