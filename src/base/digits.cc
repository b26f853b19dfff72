#include "base/digits.h"

namespace weir {

std::string GroupDigits(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ' ');
  }
  return text;
}

}  // namespace weir
