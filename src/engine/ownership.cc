#include "engine/ownership.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/fail_point.h"
#include "base/log.h"
#include "base/random.h"
#include "base/seeded_bug.h"

namespace weir::engine {
namespace {

Error Sealed(const std::string& writer) {
  return Refused("another process took this pipeline over (writer " + writer + " was sealed)",
                 ErrorCode::kWriterSealed);
}

// A writer's own log holds nothing but a seal before its first record.
Status CheckNotSealed(state::StateLog& log, const std::string& writer) {
  WEIR_ASSIGN_OR_RETURN(auto slots, log.Slots(writer));
  if (slots.empty()) return Ok();
  WEIR_ASSIGN_OR_RETURN(auto newest, log.ReadSlot(writer, slots.back()));
  if (std::holds_alternative<state::Seal>(newest)) return Sealed(writer);
  return Ok();
}

state::Claim Draft(const ClaimIdentity& identity, Clock& clock, std::int64_t number) {
  state::Claim claim;
  claim.number = number;
  claim.pipeline = identity.pipeline;
  claim.writer = identity.writer;
  claim.nonce = NewUuid();
  claim.topic = identity.topic;
  claim.topic_id = identity.topic_id;
  claim.cluster_id = identity.cluster_id;
  claim.config_hash = identity.config_hash;
  claim.contract = identity.contract;
  claim.table_uuids = identity.table_uuids;
  claim.time = clock.Now();
  return claim;
}

// Rule "list after put": a claim counts only if the newest one, looked up after the put, is ours.
Result<bool> PutAndConfirm(state::StateLog& log, const state::Claim& claim) {
  Reach(FailPoint::kClaimBefore);
  WEIR_ASSIGN_OR_RETURN(auto verdict, log.PutClaim(claim));
  if (verdict != state::PutVerdict::kMine) return false;
  WEIR_ASSIGN_OR_RETURN(auto newest, log.NewestClaim());
  if (!newest || newest->number != claim.number || newest->nonce != claim.nonce) return false;
  Reach(FailPoint::kClaimAfter);
  return true;
}

Result<SealedLog> ReadSealed(state::StateLog& log, const std::string& writer,
                             const std::vector<std::int64_t>& slots, std::int64_t seal_at) {
  SealedLog sealed{.writer = writer, .seal_at = seal_at, .records = {}};
  for (std::int64_t slot : slots) {
    if (slot >= seal_at) continue;
    auto entry = log.ReadSlot(writer, slot);
    if (!entry && entry.error().kind == ErrorKind::kNotFound) continue;  // collected: applied
    if (!entry) return std::move(entry).error();
    if (auto* record = std::get_if<state::EpochRecord>(&*entry))
      sealed.records.push_back(std::move(*record));
  }
  return sealed;
}

}  // namespace

Result<SealedLog> SealLog(state::StateLog& log, Clock& clock, const std::string& sealer,
                          const std::string& writer) {
  for (;;) {
    WEIR_ASSIGN_OR_RETURN(auto slots, log.Slots(writer));
    const std::int64_t highest = slots.empty() ? 0 : slots.back();
    if (highest > 0) {
      auto newest = log.ReadSlot(writer, highest);
      if (!newest && newest.error().kind == ErrorKind::kNotFound) continue;
      if (!newest) return std::move(newest).error();
      if (std::holds_alternative<state::Seal>(*newest))
        return ReadSealed(log, writer, slots, highest);
    }
    if (HasBug(SeededBug::kNoSeal)) return ReadSealed(log, writer, slots, highest + 1);
    const state::Seal seal{
        .sealer = sealer, .nonce = NewUuid(), .reason = "restart", .time = clock.Now()};
    Reach(FailPoint::kSealBefore);
    WEIR_ASSIGN_OR_RETURN(auto verdict, log.PutSlot(writer, highest + 1, state::Encode(seal)));
    if (verdict != state::PutVerdict::kMine) continue;
    Reach(FailPoint::kSealAfter);
    // Real only if nothing higher is there: a seal in a collected slot is a stray.
    WEIR_ASSIGN_OR_RETURN(slots, log.Slots(writer));
    if (!slots.empty() && slots.back() == highest + 1)
      return ReadSealed(log, writer, slots, highest + 1);
  }
}

std::map<Partition, state::PartitionStanding> StandingsOf(const state::Claim& claim,
                                                          const std::vector<SealedLog>& logs) {
  std::map<Partition, state::PartitionStanding> standings;
  for (const auto& [partition, entry] : claim.partitions) {
    standings[partition] = entry.start;
    for (const SealedLog& log : logs) {
      if (log.writer != entry.owner) continue;
      for (const state::EpochRecord& record : log.records) {
        auto part = record.partitions.find(partition);
        if (part != record.partitions.end() && part->second.since == entry.since)
          standings[partition] = part->second.end;
      }
    }
  }
  return standings;
}

state::SharedStanding SharedOf(const state::Claim& claim, const std::vector<SealedLog>& logs) {
  for (const SealedLog& log : logs)
    if (!log.records.empty()) return log.records.back().shared;
  return claim.shared;
}

Result<state::Claim> TakeAll(state::StateLog& log, Clock& clock, Applier& applier,
                             const ClaimIdentity& identity,
                             const std::map<Partition, state::PartitionStanding>& added,
                             const StandingCheck& check) {
  for (;;) {
    WEIR_TRY(CheckNotSealed(log, identity.writer));
    WEIR_ASSIGN_OR_RETURN(auto newest, log.NewestClaim());
    if (!newest) return Internal("no claim to take over from");
    std::set<std::string> owners;
    for (const auto& [partition, entry] : newest->partitions)
      if (!entry.owner.empty() && entry.owner != identity.writer) owners.insert(entry.owner);

    std::vector<SealedLog> logs;
    for (const std::string& owner : owners) {
      WEIR_ASSIGN_OR_RETURN(auto sealed, SealLog(log, clock, identity.writer, owner));
      if (!HasBug(SeededBug::kClaimWithoutApply))
        for (const auto& record : sealed.records) {
          WEIR_TRY(log.KeepDecisions(record));
          WEIR_TRY(applier.Apply(record));
        }
      logs.push_back(std::move(sealed));
    }
    Reach(FailPoint::kTakeoverApplied);

    auto standings = StandingsOf(*newest, logs);
    for (const auto& [partition, standing] : added) standings.try_emplace(partition, standing);
    WEIR_TRY(check(standings));
    state::Claim claim = Draft(identity, clock, newest->number + 1);
    claim.contract_before = newest->contract;
    claim.previous_hash = Sha256Hex(state::Encode(*newest));
    for (auto& [partition, standing] : standings)
      claim.partitions[partition] = {identity.writer, claim.number, std::move(standing)};
    claim.shared = SharedOf(*newest, logs);
    WEIR_ASSIGN_OR_RETURN(bool mine, PutAndConfirm(log, claim));
    if (!mine) continue;
    WEIR_TRY(CheckNotSealed(log, identity.writer));
    return claim;
  }
}

Result<state::Claim> AddPartitions(state::StateLog& log, Clock& clock, const state::Claim& current,
                                   const std::map<Partition, state::PartitionStanding>& added) {
  state::Claim claim = current;
  claim.number = current.number + 1;
  claim.contract_before = current.contract;
  claim.nonce = NewUuid();
  claim.previous_hash = Sha256Hex(state::Encode(current));
  claim.time = clock.Now();
  for (const auto& [partition, standing] : added)
    claim.partitions[partition] = {current.writer, claim.number, standing};
  WEIR_ASSIGN_OR_RETURN(bool mine, PutAndConfirm(log, claim));
  if (!mine) return Sealed(current.writer);
  WEIR_TRY(CheckNotSealed(log, current.writer));
  return claim;
}

Status PutFirstClaim(state::StateLog& log, Clock& clock, std::int64_t number,
                     const ClaimIdentity& identity,
                     const std::map<Partition, state::PartitionStanding>& starts) {
  state::Claim claim = Draft(identity, clock, number);
  for (const auto& [partition, standing] : starts) claim.partitions[partition] = {"", 0, standing};
  // Somebody else's first claim is as good as ours; TakeAll goes on from whichever is there.
  WEIR_ASSIGN_OR_RETURN(auto verdict, log.PutClaim(claim));
  (void)verdict;
  return Ok();
}

}  // namespace weir::engine
