#pragma once
// IdChecksum: a checksum over texts that does not depend on their order. One thread.

#include <cstdint>
#include <string_view>

namespace weir::generate {

/// Sum modulo 2^64, over texts, of the first 8 bytes (big endian) of the SHA-256 of each. The order
/// does not matter; a text that is there twice counts twice.
class IdChecksum {
 public:
  void Add(std::string_view text);
  void Add(std::uint64_t other_sum) { sum_ += other_sum; }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace weir::generate
