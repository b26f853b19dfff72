#pragma once
// Fingerprint: 128 bits (XXH3) that stand for the typed values of the key columns of a row.
//
// Each value goes in with its length or at a fixed width, so ("a", "bc") and ("ab", "c") differ.
// Numbers that compare equal are equal here: -0.0 is 0.0, and every NaN is the same one. The value
// is part of the state's format and must not change. Not thread safe (a buffer is kept).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/batch.h"
#include "stream/event_row.h"

namespace weir::stream {

struct Fingerprint {
  std::uint64_t low = 0;  // never zero in its lower 56 bits, but for the key that is none
  std::uint64_t high = 0;
  bool operator==(const Fingerprint&) const = default;
  /// A row with a null in its key equals no other.
  bool is_none() const { return low == 0; }
};

class Fingerprinter {
 public:
  /// Columns by their names, which are in the schema.
  Fingerprinter(const Schema& schema, const std::vector<std::string>& key);

  /// One for each row, in order; there is room for them.
  void Compute(const Batch& batch, std::span<const EventRow> rows, std::span<Fingerprint> prints);

  /// Stands for the names and types of the key: state of another one is foreign.
  std::uint64_t key_id() const { return key_id_; }

 private:
  Fingerprint Of(const Batch& batch, std::uint32_t row);

  std::vector<std::size_t> columns_;
  std::uint64_t key_id_ = 0;
  std::string buffer_;
};

}  // namespace weir::stream
