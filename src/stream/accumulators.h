#pragma once
// Accumulators: one aggregate of a window, for each of its groups.
//
// Adding is exact, commutative and associative. Nulls are passed over; an aggregate over nothing is
// null, a count is 0. Sums are held in 192 bits, and doubles without rounding. An average is
// rounded once: to the nearest double, or half away from zero at the scale of its column. Not
// thread safe.

#include <cstdint>
#include <memory>
#include <span>

#include "base/wire.h"
#include "record/column.h"
#include "record/operator_rules.h"

namespace weir::stream {

class Accumulators {
 public:
  virtual ~Accumulators() = default;

  /// There are so many groups from now on.
  virtual void Grow(std::size_t groups) = 0;
  /// rows[i] of the column belongs to group slots[i].
  virtual void Add(const Column& column, std::span<const std::uint32_t> rows,
                   std::span<const std::uint32_t> slots) = 0;
  /// Appends the value of a group.
  virtual void Append(std::uint32_t slot, Column* out) const = 0;
  virtual std::size_t bytes() const = 0;

  virtual void Write(std::uint32_t slot, WireWriter& out) const = 0;
  /// Replaces the group; fails the reader where the bytes are none.
  virtual void Read(std::uint32_t slot, WireReader& in) = 0;
};

/// `input`: type of the aggregate's column (of any type for a count of rows, whose column is not
/// looked at). `output`: of the column that Append fills. A decimal that needs more than 38 digits
/// becomes null and is counted in `overflows`, which outlives the accumulators.
std::unique_ptr<Accumulators> MakeAccumulators(AggregateKind kind, const Type& input,
                                               const Type& output, std::int64_t* overflows);

}  // namespace weir::stream
