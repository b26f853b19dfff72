#pragma once
// Windows: exact aggregates over tumbling windows of event time, by any columns.
//
// A window is closed when the pipeline watermark has reached its end; then its rows are given out
// once, in (window_start, group) order. Adding is commutative and associative, so order, batches
// and partitions change nothing. Memory grows with the open (window, group) pairs. Not thread safe.

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/wire.h"
#include "record/batch.h"
#include "record/operator_rules.h"
#include "stream/event_row.h"

namespace weir::stream {

class Windows {
 public:
  /// `columns`: WindowColumns(contract, rules).
  Windows(const Schema& rows, const WindowRules& rules, const Schema& columns);
  ~Windows();
  Windows(Windows&&) noexcept;

  /// Rows of a deduplicated silver table: each counts.
  void Add(const Batch& batch, std::span<const EventRow> rows);
  /// Valid rows without such a table: a row counts when the end of its window > its watermark; the
  /// others are appended to `late`.
  void AddOnTime(const Batch& batch, std::span<const EventRow> rows, std::vector<EventRow>* late);

  /// Appends the rows of the windows with end <= watermark to `out` and forgets them.
  void Close(Micros watermark, Batch* out);
  /// End of the earliest open window; nullopt: none is open.
  std::optional<Micros> earliest_end() const;
  std::size_t open_groups() const;
  std::size_t open_windows() const;
  std::size_t bytes() const;
  /// Values given out as null since their decimal would have needed more than 38 digits: only sums
  /// and averages of decimals near that limit can. Sums of int and long always fit.
  std::int64_t overflows() const;

  /// State. Delta: groups that changed since the last WriteDelta, WriteBase or Read, whole. A base,
  /// then deltas in their order; windows that were closed meanwhile come back too, so whoever
  /// restores calls Close with the restored watermark once and drops the rows.
  void WriteDelta(WireWriter& out);
  void WriteBase(WireWriter& out);
  Status Read(WireReader& in);  // kCorrupt WEIR0504

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::stream
