#pragma once
// Spans: lengths of time with exact ranks, and the tumbling windows that funnel and session
// statistics count in. Not thread safe.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "base/wire.h"

namespace weir::stream {

/// Window k is [k * size, (k + 1) * size), cut to the range of Micros.
std::int64_t WindowOf(Micros time, Micros size);
Micros WindowStart(std::int64_t window, Micros size);
Micros WindowEnd(std::int64_t window, Micros size);

/// b - a as seconds; a <= b.
double SecondsOf(std::uint64_t span);

/// Unsigned, since two Micros may be further apart than a Micros holds.
class Spans {
 public:
  void Add(std::uint64_t span) { fresh_.push_back(span); }
  std::size_t size() const { return sorted_.size() + fresh_.size(); }
  /// The smallest of rank >= n * numerator / denominator; size() > 0.
  std::uint64_t Rank(std::uint64_t numerator, std::uint64_t denominator);
  /// The same for these and others, which are sorted; not both are empty.
  std::uint64_t Rank(std::span<const std::uint64_t> others, std::uint64_t numerator,
                     std::uint64_t denominator);

  std::size_t heap_bytes() const {
    return (sorted_.capacity() + fresh_.capacity()) * sizeof(std::uint64_t);
  }
  void Write(WireWriter& out);
  /// Adds `count` spans that Write wrote; stops when `in` is not ok().
  void Read(std::uint64_t count, WireReader& in);

 private:
  void Settle();

  std::vector<std::uint64_t> sorted_;
  std::vector<std::uint64_t> fresh_;  // not sorted in yet
};

}  // namespace weir::stream
