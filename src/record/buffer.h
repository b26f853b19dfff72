#pragma once
// Buffer: a growing array of plain values, for the inside of columns and dictionaries.
//
// What std::vector lacks on the hot path: growth without zeroing, Extend() that hands out raw room,
// and kSlack readable and writable bytes behind the end, so that copies and compares may run in
// whole vector registers. Memory is aligned to 16 bytes. Not thread safe. Running out of memory
// ends the process, as operator new would.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace weir {

template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t kSlack = 64;  // bytes

  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  Buffer(const Buffer& other) { Append(other.data(), other.size()); }
  Buffer& operator=(const Buffer& other) {
    if (this != &other) {
      clear();
      Append(other.data(), other.size());
    }
    return *this;
  }
  ~Buffer() { std::free(data_); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity_bytes() const { return capacity_ * sizeof(T); }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  /// Room for n more values at the end, not initialised.
  T* Extend(std::size_t n) {
    if (capacity_ - size_ < n) Grow(size_ + n);
    T* room = data_ + size_;
    size_ += n;
    return room;
  }
  void push_back(T value) { *Extend(1) = value; }
  void Append(const T* values, std::size_t n) {
    if (n != 0) std::memcpy(Extend(n), values, n * sizeof(T));
  }
  void Fill(std::size_t n, T value) { std::fill_n(Extend(n), n, value); }
  void Truncate(std::size_t size) {
    WEIR_DCHECK(size <= size_);
    size_ = size;
  }
  void clear() { size_ = 0; }
  void Reserve(std::size_t capacity) {
    if (capacity > capacity_) Grow(capacity);
  }

 private:
  void Grow(std::size_t needed) {
    const std::size_t capacity = std::max<std::size_t>({needed, capacity_ + capacity_ / 2, 32});
    void* grown = std::realloc(data_, capacity * sizeof(T) + kSlack);
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace weir
