#pragma once
// FlatMemory: a zeroed block for flat tables, aligned to a cache line. Large blocks are mapped by
// themselves and ask for huge pages: random reads then cost one miss instead of two, and a freed
// block goes back to the system at once. Running out of memory throws std::bad_alloc, as new does.

#include <cstddef>

namespace weir::stream {

class FlatMemory {
 public:
  FlatMemory() = default;
  explicit FlatMemory(std::size_t bytes);
  FlatMemory(FlatMemory&& other) noexcept;
  FlatMemory& operator=(FlatMemory&& other) noexcept;
  ~FlatMemory();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace weir::stream
