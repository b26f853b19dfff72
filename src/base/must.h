#pragma once
// Must: the value of a call that cannot fail in a test, or an exception that ends the test with the
// error's text. For tests only.

#include <stdexcept>
#include <utility>

#include "base/result.h"

namespace weir {

template <typename T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return std::move(result).value();
}
inline void Must(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().ToString());
}

}  // namespace weir
