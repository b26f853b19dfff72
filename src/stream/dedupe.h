#pragma once
// Dedupe: which on-time rows repeat a key that their partition holds.
//
// A key is held while its first row's event time >= watermark - horizon, where the watermark is the
// partition's before the row; a duplicate never renews it; the first row wins. The rule decides,
// never the moment of sweeping. One table a partition: fingerprints in flat memory, no allocation a
// key. Exact: 112-bit fingerprints, about 36 bytes a key; compact: 64 bits, about 16. Not thread
// safe.
//
// A row is dropped falsely when another key with its fingerprint is held. With N keys held in its
// partition that happens to one row in 2^64 / N in compact mode (50 million keys: one in 3.7 *
// 10^11) and to one in 2^112 / N in exact mode, which is never.

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

  /// Forgets the keys of a partition that its watermark no longer holds. Changes no answer. Large
  /// tables are gone through bit by bit, a few million keys a call.
  void Sweep(Partition partition, Micros watermark);

  std::size_t keys() const;
  std::size_t bytes() const;
  /// Admitted keys that another partition held at that moment (counted, both rows stay). Exact up
  /// to 32,768 held keys; beyond, estimated from every n-th key.
  std::int64_t cross_partition_keys() const;

  /// State of one partition. Delta: keys admitted since the last WriteDelta, WriteBase or Read (or
  /// all that are held, if those were more). A row with a null in its key is admitted and not held.
  void WriteDelta(Partition partition, WireWriter& out);
  void WriteBase(Partition partition, WireWriter& out);
  /// A base, then deltas in their order. kCorrupt WEIR0504.
  Status Read(Partition partition, WireReader& in);

 private:
  class Impl;
  template <typename Layout>
  class Shards;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::stream
