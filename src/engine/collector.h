#pragma once
// Collector: removes what nobody needs any more: records that are applied everywhere, journals, old
// claims, state of dead writers, and files that an epoch left behind when it never became a record.
//
// docs/PROTOCOL.md section "Collection". Every condition, once true, stays true, so acting late or
// twice is harmless. Nothing is deleted without a decision in sight: a slot that is empty, or a
// seal that is not the newest object of its log, means "touch nothing". Failures are logged and
// left to the next time: collection never stops a pipeline.

#include <cstdint>
#include <span>
#include <string>

#include "engine/open_table.h"
#include "engine/ownership.h"
#include "state/state_log.h"

namespace weir::engine {

/// How a journal names a file before it is created.
std::string JournalName(const std::string& table, const std::string& path);

class Collector {
 public:
  /// keep_records: newest applied records that stay for people and for `weir verify`.
  Collector(state::StateLog& log, std::span<OpenTable> tables, std::int64_t keep_records)
      : log_(log), tables_(tables), keep_records_(keep_records) {}

  /// After record `applied` of the running writer is in all tables: its older records go, but for
  /// the last kept ones, each after its journal.
  void CollectOwn(const std::string& writer, std::int64_t applied);

  /// After a claim is in force: logs of dead writers are swept and emptied down to their seals.
  /// `predecessors`: writers of the claim before, whose last records stay for `weir verify`.
  void CollectDead(const state::Claim& in_force, std::span<const std::string> predecessors);

  static constexpr std::int64_t kKeepRecords = 64;
  static constexpr std::size_t kKeepClaims = 8;

 private:
  Status TryCollectOwn(const std::string& writer, std::int64_t applied);
  Status TryCollectDead(const state::Claim& in_force, std::span<const std::string> predecessors);
  Status CollectDeadWriter(const std::string& writer, const state::Claim& in_force, bool keep_last);
  Status CollectState(const std::string& writer, const state::Claim& in_force);
  Status SweepJournal(const std::string& writer, const state::StateLog::JournalEntry& journal,
                      bool decided);
  Status DeleteNamed(const std::string& name);
  Status CollectClaims();

  state::StateLog& log_;
  std::span<OpenTable> tables_;
  std::int64_t keep_records_;
  std::int64_t own_first_ = 1;  // oldest own record that may still be there
};

}  // namespace weir::engine
