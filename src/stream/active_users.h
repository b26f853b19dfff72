#pragma once
// ActiveUsers: for every minute, the distinct users with an event in the 5 and in the 30 minutes
// before it: [minute - w, minute). A minute is given out once, when the pipeline watermark has
// reached it; minutes without users give no row. Not thread safe.

#include <memory>
#include <span>

#include "base/result.h"
#include "base/wire.h"
#include "record/batch.h"
#include "record/operator_rules.h"
#include "stream/event_row.h"

namespace weir::stream {

class ActiveUsers {
 public:
  ActiveUsers(const Schema& rows, const ActiveUserRules& rules);
  ~ActiveUsers();
  ActiveUsers(ActiveUsers&&) noexcept;

  void Add(const Batch& batch, std::span<const EventRow> rows);
  /// Appends the rows (ActiveUserColumns) of the minutes <= watermark, in order.
  void Close(Micros watermark, Batch* out);

  std::size_t bytes() const;
  /// Delta: users seen anew in a minute since the last write or read.
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
