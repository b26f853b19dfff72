#include "engine/collector.h"

#include <algorithm>
#include <set>

#include "base/fail_point.h"
#include "base/log.h"
#include "base/seeded_bug.h"

namespace weir::engine {
namespace {

void Report(const Status& status) {
  if (!status)
    log::Warn("collection left something for later", {{"because", status.error().ToString()}});
}

std::set<std::string> FilesOf(const state::EpochRecord& record) {
  std::set<std::string> names;
  for (const auto& [table, epoch] : record.tables)
    for (const auto& file : epoch.files) names.insert(JournalName(table, file.path));
  return names;
}

// The claim gives every partition of the record to somebody later. Our claim may not be the newest
// any more, but what it supersedes stays superseded; a newer record is not ours to judge.
bool IsSuperseded(const state::EpochRecord& record, const state::Claim& claim) {
  return std::ranges::all_of(record.partitions, [&](const auto& part) {
    auto entry = claim.partitions.find(part.first);
    return entry != claim.partitions.end() && entry->second.since > part.second.since;
  });
}

}  // namespace

// Table names have no colon.
std::string JournalName(const std::string& table, const std::string& path) {
  return table + ":" + path;
}

void Collector::CollectOwn(const std::string& writer, std::int64_t applied) {
  Report(TryCollectOwn(writer, applied));
}

void Collector::CollectDead(const state::Claim& in_force,
                            std::span<const std::string> predecessors) {
  Report(TryCollectDead(in_force, predecessors));
}

Status Collector::TryCollectOwn(const std::string& writer, std::int64_t applied) {
  const std::int64_t last = HasBug(SeededBug::kCollectNewest)
                                ? applied
                                : applied - std::max<std::int64_t>(keep_records_, 1);
  if (own_first_ > last) return Ok();
  Reach(FailPoint::kCollectBefore);
  for (; own_first_ <= last; ++own_first_) {
    WEIR_ASSIGN_OR_RETURN(auto journals, log_.Journals(writer, own_first_));
    for (const auto& journal : journals) WEIR_TRY(SweepJournal(writer, journal, true));
    WEIR_TRY(log_.DeleteSlot(writer, own_first_));
  }
  Reach(FailPoint::kCollectAfter);
  return Ok();
}

Status Collector::TryCollectDead(const state::Claim& in_force,
                                 std::span<const std::string> predecessors) {
  WEIR_ASSIGN_OR_RETURN(auto writers, log_.Writers());
  for (const auto& [name, objects] : writers) {
    const std::string& writer = name;
    if (objects == 1) continue;  // its seal: nothing is left to collect
    const bool owns = std::ranges::any_of(
        in_force.partitions, [&](const auto& entry) { return entry.second.owner == writer; });
    if (owns || writer == in_force.writer) continue;
    const bool keep_last = std::ranges::find(predecessors, writer) != predecessors.end();
    WEIR_TRY(CollectDeadWriter(writer, in_force, keep_last));
  }
  return CollectClaims();
}

Status Collector::CollectDeadWriter(const std::string& writer, const state::Claim& in_force,
                                    bool keep_last) {
  WEIR_ASSIGN_OR_RETURN(auto slots, log_.Slots(writer));
  if (slots.empty()) return Ok();
  WEIR_ASSIGN_OR_RETURN(auto newest, log_.ReadSlot(writer, slots.back()));
  if (!std::holds_alternative<state::Seal>(newest) && !HasBug(SeededBug::kSweepAlive)) return Ok();
  const std::int64_t seal_at = slots.back();
  WEIR_ASSIGN_OR_RETURN(auto journals, log_.Journals(writer));
  Reach(FailPoint::kSweepBefore);
  for (const auto& journal : journals)
    WEIR_TRY(SweepJournal(writer, journal, journal.epoch < seal_at));
  Reach(FailPoint::kSweepAfter);
  const std::int64_t keep_from = keep_last ? seal_at - keep_records_ : seal_at;
  for (std::int64_t slot : slots) {
    if (slot >= keep_from) break;
    auto entry = log_.ReadSlot(writer, slot);
    if (!entry) continue;
    const auto* record = std::get_if<state::EpochRecord>(&*entry);
    if (record != nullptr && IsSuperseded(*record, in_force))
      WEIR_TRY(log_.DeleteSlot(writer, slot));
  }
  return CollectState(writer, in_force);
}

// State that the claim in force does not start from: a dead writer's is named by nothing newer.
Status Collector::CollectState(const std::string& writer, const state::Claim& in_force) {
  std::vector<const state::StateChain*> chains{&in_force.shared.state};
  for (const auto& [partition, entry] : in_force.partitions) chains.push_back(&entry.start.state);
  auto is_needed = [&](std::int64_t epoch) {
    for (const auto* chain : chains)
      for (const auto& segment : *chain)
        if (segment.writer == writer && segment.first <= epoch && epoch <= segment.last)
          return true;
    return false;
  };
  WEIR_ASSIGN_OR_RETURN(auto epochs, log_.States(writer));
  for (std::int64_t epoch : epochs)
    if (!is_needed(epoch)) WEIR_TRY(log_.DeleteState(writer, epoch));
  return Ok();
}

// decided: the epoch is in front of a seal, or of a record, and is swept only if it has a record.
Status Collector::SweepJournal(const std::string& writer,
                               const state::StateLog::JournalEntry& journal, bool decided) {
  std::set<std::string> used;
  if (decided) {
    auto entry = log_.ReadSlot(writer, journal.epoch);
    if (!entry) return Ok();  // an empty slot decides nothing
    const auto* record = std::get_if<state::EpochRecord>(&*entry);
    if (record == nullptr) return Ok();
    used = FilesOf(*record);
  }
  WEIR_ASSIGN_OR_RETURN(auto names, log_.ReadJournal(journal));
  for (const std::string& name : names)
    if (!used.contains(name)) WEIR_TRY(DeleteNamed(name));
  return log_.DeleteJournal(journal);
}

Status Collector::DeleteNamed(const std::string& name) {
  const auto colon = name.find(':');
  if (colon == std::string::npos) return Ok();
  auto table = std::ranges::find(tables_, name.substr(0, colon), &OpenTable::name);
  if (table == tables_.end()) {
    log::Warn("a file of a table that the pipeline no longer has stays behind", {{"file", name}});
    return Ok();
  }
  return table->store->Discard(name.substr(colon + 1));
}

Status Collector::CollectClaims() {
  WEIR_ASSIGN_OR_RETURN(auto numbers, log_.ClaimNumbers());
  if (numbers.size() <= kKeepClaims) return Ok();
  numbers.resize(numbers.size() - kKeepClaims);
  for (std::int64_t number : numbers) WEIR_TRY(log_.DeleteClaim(number));
  return Ok();
}

}  // namespace weir::engine
