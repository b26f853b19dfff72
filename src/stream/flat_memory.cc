#include "stream/flat_memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace weir::stream {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMapped = std::size_t{1} << 20;

std::size_t Up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

// Mapped so that it begins at a huge page; what was mapped too much is given back.
std::byte* Map(std::size_t bytes) {
  const std::size_t size = Up(bytes, 4096);
  void* mapped = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::size_t before = Up(address, kHugePage) - address;
  if (before != 0) munmap(begin, before);
  if (before != kHugePage) munmap(begin + before + size, kHugePage - before);
  begin += before;
  // Whole huge pages only, so that the last one is not paid for when little of it is used. A kernel
  // that has none leaves it as it is.
  if (size >= kHugePage) madvise(begin, size / kHugePage * kHugePage, MADV_HUGEPAGE);
  return begin;
}

}  // namespace

FlatMemory::FlatMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes >= kMapped) {
    data_ = Map(bytes);
  } else if (bytes > 0) {
    data_ = static_cast<std::byte*>(std::aligned_alloc(kLine, Up(bytes, kLine)));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_, 0, bytes);
  }
}

FlatMemory::FlatMemory(FlatMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

FlatMemory& FlatMemory::operator=(FlatMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

FlatMemory::~FlatMemory() {
  if (bytes_ >= kMapped) {
    munmap(data_, Up(bytes_, 4096));
  } else {
    std::free(data_);
  }
}

}  // namespace weir::stream
