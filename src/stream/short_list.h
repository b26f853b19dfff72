#pragma once
// ShortList: a list of plain values of which the first few need no memory of their own. What is
// kept for each of a million open sessions is mostly that short. Not thread safe.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace weir::stream {

template <typename T, std::size_t kInline>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using const_iterator = const T*;

  ShortList() = default;
  explicit ShortList(std::span<const T> values) {
    for (const T& value : values) push_back(value);
  }
  ShortList(const ShortList& other) { *this = other; }
  ShortList& operator=(const ShortList& other) {
    if (this == &other) return *this;
    clear();
    for (const T& value : other) push_back(value);
    return *this;
  }
  ShortList(ShortList&& other) noexcept { *this = std::move(other); }
  ShortList& operator=(ShortList&& other) noexcept {
    if (this == &other) return *this;
    few_ = other.few_;
    many_ = std::move(other.many_);
    size_ = std::exchange(other.size_, 0);
    room_ = std::exchange(other.room_, kInline);
    return *this;
  }
  ~ShortList() = default;

  void push_back(const T& value) {
    if (size_ == room_) Grow();
    data()[size_++] = value;
  }
  /// Drops what is behind the first `size`.
  void Truncate(std::size_t size) { size_ = static_cast<std::uint32_t>(size); }
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return many_ ? many_.get() : few_.data(); }
  const T* data() const { return many_ ? many_.get() : few_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  std::size_t heap_bytes() const { return many_ ? room_ * sizeof(T) : 0; }

 private:
  void Grow() {
    auto more = std::make_unique<T[]>(std::size_t{2} * room_);
    std::copy_n(data(), size_, more.get());
    many_ = std::move(more);
    room_ *= 2;
  }

  std::array<T, kInline> few_{};
  std::unique_ptr<T[]> many_;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = kInline;
};

}  // namespace weir::stream
