#pragma once
// Dedupe: which on-time rows repeat a key that their partition holds.
//
// A key is held while its first row's event time >= watermark - horizon, where the watermark is the
// partition's before the row; a duplicate never renews it; the first row wins. The rule decides,
// never the moment of sweeping. One table a partition: fingerprints in flat memory, no allocation a
// key. Exact: 128-bit fingerprints; compact: 64 bits. Not thread safe.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/wire.h"
#include "record/batch.h"
#include "record/operator_rules.h"
#include "stream/event_row.h"

namespace weir::stream {

class Dedupe {
 public:
  /// The key columns are in the schema (config checked it).
  Dedupe(const Schema& schema, const DedupeRules& rules);
  ~Dedupe();
  Dedupe(Dedupe&&) noexcept;
  Dedupe& operator=(Dedupe&&) noexcept;

  /// Rows that are on time, in log order per partition. Moves the duplicates to `duplicates`, in
  /// order, and leaves the first rows in `rows`.
  void Admit(const Batch& batch, std::vector<EventRow>* rows, std::vector<EventRow>* duplicates);

  /// Forgets the keys of a partition that its watermark no longer holds. Changes no answer.
  void Sweep(Partition partition, Micros watermark);

  std::size_t keys() const;
  std::size_t bytes() const;
  /// Admitted keys that another partition held at that moment (counted, both rows stay).
  std::int64_t cross_partition_keys() const;

  /// State of one partition. Delta: keys admitted since the last WriteDelta, WriteBase or Read.
  void WriteDelta(Partition partition, WireWriter& out);
  void WriteBase(Partition partition, WireWriter& out);
  /// A base, then deltas in their order. kCorrupt WEIR0504.
  Status Read(Partition partition, WireReader& in);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::stream
