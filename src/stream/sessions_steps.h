#pragma once
// StepRows: the rows of one session that a funnel needs, and which of them serve its steps.
//
// Step k is served by the first row of its type after the row that serves step k-1; one row serves
// one step. More rows can only make a step's row earlier, so a row behind the one that serves its
// step is never needed again and is dropped; what is kept is small whatever a robot sends in order.
// The result depends on the rows alone, never on their order of arrival.

#include <cstdint>
#include <span>

#include "base/time.h"
#include "stream/short_list.h"

namespace weir::stream {

/// A row's place in the order of events, with the number of its event type.
struct StepRow {
  Micros time = 0;
  std::int64_t offset = 0;
  std::int32_t partition = 0;
  std::uint32_t type = 0;

  bool Before(const StepRow& other) const {
    if (time != other.time) return time < other.time;
    if (partition != other.partition) return partition < other.partition;
    return offset < other.offset;
  }
};

/// The type number of each step.
using StepTypes = std::span<const std::uint32_t>;

class StepRows {
 public:
  StepRows() = default;
  /// From rows in any order, as rows() gave them.
  StepRows(std::span<const StepRow> rows, StepTypes steps);

  void Add(const StepRow& row, StepTypes steps);
  void Merge(const StepRows& other, StepTypes steps);
  /// Forgets all rows; the memory stays.
  void Clear() {
    rows_.clear();
    reached_ = 0;
  }

  /// The rows that serve steps 1, 2, ... as far as they were reached.
  std::span<const StepRow> reached() const { return {rows_.data(), reached_}; }
  /// All that is kept, the reached ones first.
  std::span<const StepRow> rows() const { return {rows_.data(), rows_.size()}; }
  std::size_t heap_bytes() const { return rows_.heap_bytes(); }

 private:
  bool Needed(const StepRow& row, StepTypes steps) const;
  void Serve(std::size_t first, StepTypes steps);

  ShortList<StepRow, 2> rows_;  // [0, reached_) serve the steps in their order
  std::uint32_t reached_ = 0;
};

}  // namespace weir::stream
