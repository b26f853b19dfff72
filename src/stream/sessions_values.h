#pragma once
// KeptValues: the values that a session keeps of its first and last rows, as bytes in one block.
//
// Each has room of its own, so a later row's value is copied over the one before: no look-up and no
// allocation a row. The block stays when it is cleared, for the next session there. Moved, never
// copied. Not thread safe.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace weir::stream {

class KeptValues {
 public:
  KeptValues() = default;
  KeptValues(KeptValues&& other) noexcept { *this = std::move(other); }
  KeptValues& operator=(KeptValues&& other) noexcept {
    block_ = std::move(other.block_);
    capacity_ = std::exchange(other.capacity_, 0);
    used_ = std::exchange(other.used_, 0);
    return *this;
  }
  ~KeptValues() = default;

  /// Of `count` values, the same at every call. nullopt: null.
  std::optional<std::string_view> At(std::size_t i) const {
    if (used_ == 0 || heads()[i].size == kNull) return std::nullopt;
    return std::string_view(block_.get() + heads()[i].offset, heads()[i].size);
  }
  void Set(std::size_t i, std::optional<std::string_view> value, std::size_t count) {
    if (value && (used_ == 0 || value->size() > heads()[i].room)) MakeRoom(i, value->size(), count);
    if (used_ == 0) return;  // null, as all are
    heads()[i].size = value ? static_cast<std::uint32_t>(value->size()) : kNull;
    if (value) value->copy(block_.get() + heads()[i].offset, value->size());
  }
  /// All are null from now on; the memory stays.
  void Clear(std::size_t count) {
    for (std::size_t i = 0; used_ != 0 && i < count; ++i) heads()[i].size = kNull;
  }
  std::size_t heap_bytes() const { return capacity_; }
  const char* memory() const { return block_.get(); }

 private:
  static constexpr std::uint32_t kNull = UINT32_MAX;
  struct Head {
    std::uint32_t offset = 0;
    std::uint32_t size = kNull;
    std::uint32_t room = 0;
  };
  Head* heads() { return reinterpret_cast<Head*>(block_.get()); }
  const Head* heads() const { return reinterpret_cast<const Head*>(block_.get()); }
  void MakeRoom(std::size_t i, std::size_t size, std::size_t count);

  std::unique_ptr<char[]> block_;  // heads, then the rooms
  std::uint32_t capacity_ = 0;
  std::uint32_t used_ = 0;  // 0: no heads yet
};

}  // namespace weir::stream
