#pragma once
// Sessions: the on-time rows of one key whose event times are at most `gap` apart.
//
// Rows may come in any order: they open, extend and merge sessions, and the result depends on the
// rows alone. A session is closed when the pipeline watermark > its end + gap; closed rows are
// given out once, open ones as a whole per home partition (that of the session's lowest (partition,
// offset)).
//
// Rows without event type count as events and in no event_counts. order_value is exact and rounded
// once, half away from zero; it is null where the sum is no decimal(18,2), and where the value of
// a single row is 10^16 or more. Not thread safe.

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/wire.h"
#include "record/batch.h"
#include "record/operator_rules.h"
#include "stream/event_row.h"
#include "stream/short_list.h"

namespace weir::stream {

/// What funnel and statistics need of a session.
struct SessionFacts {
  Micros start = 0;
  Micros end = 0;
  std::int64_t events = 0;
  ShortList<Micros, 6> step_times;  // event time of each funnel step that was reached, in order
};

class Sessions {
 public:
  /// `rows`: schema of the batches; `columns`: SessionColumns(contract, rules); `steps`: event
  /// types of the funnel over these sessions, empty when there is none.
  Sessions(const Schema& rows, const std::string& event_type_field, const SessionRules& rules,
           const std::vector<std::string>& steps, const Schema& columns);
  ~Sessions();
  Sessions(Sessions&&) noexcept;

  void Add(const Batch& batch, std::span<const EventRow> rows);

  /// Appends the rows of the sessions that the watermark closes to `closed`, home partition by home
  /// partition, in (end, key) order in each, and their facts to `facts`; forgets them.
  void Close(Micros watermark, Batch* closed, std::vector<SessionFacts>* facts);
  /// Home partitions whose open sessions changed since the last call.
  std::set<Partition> TakeTouched();
  /// Appends the open sessions of a home partition, in (start, key) order.
  void AppendOpen(Partition partition, Batch* open) const;
  /// Of every open session, in no order.
  std::vector<SessionFacts> OpenFacts() const;

  std::size_t open_sessions() const;
  std::size_t bytes() const;
  std::optional<Micros> earliest_end() const;
  /// Open keys that were seen to have rows of more than one partition, since this object was made:
  /// the topic is not keyed by the session key. A key that comes back later counts again.
  std::int64_t keys_in_several_partitions() const;

  /// State of one home partition. Delta: keys that changed since the last WriteDelta, WriteBase or
  /// Read, with all their open sessions there (none: the key is gone).
  void WriteDelta(Partition partition, WireWriter& out);
  void WriteBase(Partition partition, WireWriter& out);
  /// A base, then deltas in their order. kCorrupt WEIR0504, after which this object is of no use.
  Status Read(Partition partition, WireReader& in);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::stream
