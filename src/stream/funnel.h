#pragma once
// Funnel: how many sessions reached each step, by window of session_start.
//
// A window's rows change while sessions that start in it may still appear or grow, and are given
// out anew each time (is_final = false); they are final once the watermark has passed the window's
// end and no open session starts in it.
//
// A window with sessions has a row for every step. from_first and from_previous are null where
// nobody reached the step that they compare with; step 1 is compared with itself. median_s is the
// exact median time from a session's first step to this one, null where nobody reached it. Not
// thread safe.

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/wire.h"
#include "record/batch.h"
#include "record/operator_rules.h"
#include "stream/sessions.h"

namespace weir::stream {

class Funnel {
 public:
  /// `columns`: FunnelColumns().
  explicit Funnel(const FunnelRules& rules);
  ~Funnel();
  Funnel(Funnel&&) noexcept;

  /// Sessions that were closed: they count for good.
  void AddClosed(std::span<const SessionFacts> closed);
  /// At a cut: rows of the windows that are final now go to `final_rows`, once; those of all other
  /// windows with sessions to `open_rows`. Returns whether open_rows differ from the last call's.
  bool Cut(Micros watermark, std::span<const SessionFacts> open, Batch* final_rows,
           Batch* open_rows);

  std::size_t bytes() const;
  /// State: closed sessions of windows that are not final.
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
