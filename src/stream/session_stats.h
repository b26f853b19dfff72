#pragma once
// SessionStats: count, median, p90 and bounces of closed sessions by window of session_end. A
// window is given out once, when no session that ends in it can be open any more: watermark >= its
// end + gap. Medians are exact: the smallest value of rank >= p*n. Not thread safe.

#include <memory>
#include <span>

#include "base/result.h"
#include "base/wire.h"
#include "record/batch.h"
#include "record/operator_rules.h"
#include "stream/sessions.h"

namespace weir::stream {

class SessionStats {
 public:
  SessionStats(const SessionStatsRules& rules, Micros gap);
  ~SessionStats();
  SessionStats(SessionStats&&) noexcept;

  void AddClosed(std::span<const SessionFacts> closed);
  /// Appends the rows (SessionStatsColumns) of windows that are complete, in order.
  void Close(Micros watermark, Batch* out);

  std::size_t bytes() const;
  void WriteDelta(WireWriter& out);
  void WriteBase(WireWriter& out);
  /// A base, then deltas. Whoever restores closes once with the restored watermark and drops the
  /// rows, which were given out before. kCorrupt WEIR0504.
  Status Read(WireReader& in);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::stream
