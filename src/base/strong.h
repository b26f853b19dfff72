#pragma once
// Strong<Tag, T>: a number that knows what it counts. No implicit conversion, ordered, hashable.

#include <compare>
#include <cstddef>
#include <functional>

namespace weir {

template <typename Tag, typename T>
class Strong {
 public:
  using rep = T;
  constexpr Strong() = default;
  explicit constexpr Strong(T value) : value_(value) {}

  constexpr T value() const { return value_; }
  constexpr auto operator<=>(const Strong&) const = default;
  constexpr Strong& operator++() {
    ++value_;
    return *this;
  }

 private:
  T value_{};
};

}  // namespace weir

template <typename Tag, typename T>
struct std::hash<weir::Strong<Tag, T>> {
  std::size_t operator()(const weir::Strong<Tag, T>& id) const noexcept {
    return std::hash<T>{}(id.value());
  }
};
