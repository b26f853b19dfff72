#include "stream/flat_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace weir::stream {

namespace {

constexpr std::size_t kAlignment = 128;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = std::size_t{16} << 10;  // blocks from here on are an arena's
constexpr std::size_t kMostRegion = std::size_t{64} << 20;
constexpr std::size_t kKeptHole = std::size_t{64} << 20;  // of less the memory is kept

std::size_t Up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

std::byte* UpTo(std::byte* at, std::size_t step) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  return at + (Up(address, step) - address);
}

// Mapped so that it begins at a huge page; what was mapped too much is given back.
std::byte* Map(std::size_t bytes) {
  void* mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* start = static_cast<std::byte*>(mapped);
  std::byte* begin = UpTo(start, kHugePage);
  const auto before = static_cast<std::size_t>(begin - start);
  if (before != 0) munmap(start, before);
  if (before != kHugePage) munmap(begin + bytes, kHugePage - before);
  // A kernel that has none leaves it as it is.
  madvise(begin, bytes, MADV_HUGEPAGE);
  return begin;
}

}  // namespace

FlatArena::~FlatArena() {
  for (const Region& region : regions_) munmap(region.begin, region.bytes);
}

void FlatArena::AddRegion(std::size_t least) {
  // As much again as there is, so that regions are few; what is not touched costs nothing.
  const std::size_t wanted = std::clamp(mapped_, 2 * kHugePage, kMostRegion);
  const std::size_t bytes = Up(std::max(least, wanted), kHugePage);
  std::byte* begin = Map(bytes);
  regions_.push_back({begin, bytes, begin});
  mapped_ += bytes;
  holes_.emplace(begin, bytes);
}

bool FlatArena::StartsRegion(const std::byte* at) const {
  return std::ranges::any_of(regions_, [&](const Region& region) { return region.begin == at; });
}

std::byte* FlatArena::Take(std::size_t bytes) {
  const std::size_t size = Up(bytes, kPage);
  const auto fits = [&](const auto& hole) { return hole.second >= size; };
  auto found = std::ranges::find_if(holes_, fits);
  if (found == holes_.end()) {
    AddRegion(size);
    found = std::ranges::find_if(holes_, fits);
  }
  std::byte* const begin = found->first;
  const std::size_t hole = found->second;
  holes_.erase(found);
  if (hole > size) holes_.emplace(begin + size, hole - size);
  Region& region = *std::ranges::find_if(regions_, [&](const Region& one) {
    return begin >= one.begin && begin < one.begin + one.bytes;
  });
  if (begin < region.used_to) {
    std::memset(begin, 0, std::min(bytes, static_cast<std::size_t>(region.used_to - begin)));
  }
  // Pages whose first use is a read would be made twice: as the one of zeros, then as a copy of it.
  for (std::byte* at = UpTo(std::max(begin, region.used_to), kHugePage); at < begin + size;
       at += kHugePage) {
    *static_cast<volatile std::byte*>(at) = std::byte{0};
  }
  region.used_to = std::max(region.used_to, begin + size);
  return begin;
}

void FlatArena::Give(std::byte* block, std::size_t bytes) {
  std::byte* begin = block;
  std::byte* end = block + Up(bytes, kPage);
  // Holes that touch become one.
  auto next = holes_.lower_bound(begin);
  if (next != holes_.end() && next->first == end && !StartsRegion(end)) {
    end += next->second;
    next = holes_.erase(next);
  }
  if (next != holes_.begin() && !StartsRegion(begin)) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      holes_.erase(before);
    }
  }
  const auto hole = static_cast<std::size_t>(end - begin);
  holes_.emplace(begin, hole);
  if (hole < std::max(kKeptHole, mapped_ / 2)) return;
  std::byte* from = UpTo(begin, kHugePage);
  std::byte* to = UpTo(end - kHugePage + 1, kHugePage);
  if (from < to) madvise(from, static_cast<std::size_t>(to - from), MADV_DONTNEED);
}

FlatMemory::FlatMemory(std::size_t bytes, FlatArena& arena) : bytes_(bytes) {
  if (bytes >= kLarge) {
    arena_ = &arena;
    data_ = arena.Take(bytes);
  } else if (bytes > 0) {
    data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, Up(bytes, kAlignment)));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_, 0, bytes);
  }
}

FlatMemory::FlatMemory(FlatMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      arena_(std::exchange(other.arena_, nullptr)) {}

FlatMemory& FlatMemory::operator=(FlatMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(arena_, other.arena_);
  return *this;
}

FlatMemory::~FlatMemory() {
  if (arena_ != nullptr) {
    arena_->Give(data_, bytes_);
  } else {
    std::free(data_);
  }
}

}  // namespace weir::stream
