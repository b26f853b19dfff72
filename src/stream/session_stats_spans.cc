#include "stream/session_stats_spans.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "record/type.h"

namespace weir::stream {
namespace {

Micros Clamp(Int128 time) {
  constexpr Int128 kLeast = std::numeric_limits<Micros>::min();
  constexpr Int128 kMost = std::numeric_limits<Micros>::max();
  return static_cast<Micros>(std::clamp(time, kLeast, kMost));
}

}  // namespace

std::int64_t WindowOf(Micros time, Micros size) {
  const std::int64_t window = time / size;
  return time % size < 0 ? window - 1 : window;
}

Micros WindowStart(std::int64_t window, Micros size) { return Clamp(Int128{window} * size); }

Micros WindowEnd(std::int64_t window, Micros size) { return Clamp((Int128{window} + 1) * size); }

double SecondsOf(std::uint64_t span) {
  return static_cast<double>(span) / static_cast<double>(kMicrosPerSecond);
}

void Spans::Settle() {
  if (fresh_.empty()) return;
  std::sort(fresh_.begin(), fresh_.end());
  const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
  sorted_.insert(sorted_.end(), fresh_.begin(), fresh_.end());
  std::inplace_merge(sorted_.begin(), sorted_.begin() + middle, sorted_.end());
  fresh_.clear();
}

std::uint64_t Spans::Rank(std::uint64_t numerator, std::uint64_t denominator) {
  return Rank({}, numerator, denominator);
}

std::uint64_t Spans::Rank(std::span<const std::uint64_t> others, std::uint64_t numerator,
                          std::uint64_t denominator) {
  Settle();
  const std::size_t n = sorted_.size() + others.size();
  WEIR_CHECK(n > 0);
  const std::size_t rank = (n * numerator + denominator - 1) / denominator;  // from 1
  WEIR_CHECK(rank >= 1 && rank <= n);
  // Of the `rank` smallest, `ours` are in sorted_: the least number that leaves no smaller value
  // of ours out.
  std::size_t low = rank > others.size() ? rank - others.size() : 0;
  std::size_t high = std::min(rank, sorted_.size());
  while (low < high) {
    const std::size_t ours = low + (high - low) / 2;
    if (sorted_[ours] < others[rank - ours - 1]) {
      low = ours + 1;
    } else {
      high = ours;
    }
  }
  const std::size_t theirs = rank - low;
  if (low == 0) return others[theirs - 1];
  if (theirs == 0) return sorted_[low - 1];
  return std::max(sorted_[low - 1], others[theirs - 1]);
}

void Spans::Write(WireWriter& out) {
  Settle();
  std::uint64_t before = 0;
  for (const std::uint64_t span : sorted_) {
    out.Varint(span - before);
    before = span;
  }
}

void Spans::Read(std::uint64_t count, WireReader& in) {
  std::uint64_t span = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    span += in.Varint();
    if (!in.ok()) return;
    fresh_.push_back(span);
  }
}

}  // namespace weir::stream
