#include "engine/replay_swap.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/log.h"
#include "base/random.h"
#include "engine/applier.h"
#include "engine/collector.h"
#include "engine/history.h"

namespace weir::engine {
namespace {

// nullopt: no table has the name.
Result<std::optional<std::string>> UuidOf(connect::Catalog& catalog, const std::string& name) {
  WEIR_ASSIGN_OR_RETURN(const auto parsed, connect::ParseTableName(name));
  WEIR_ASSIGN_OR_RETURN(const auto table, catalog.Open(parsed, ""));
  const auto version = table->Load();
  if (version) return std::optional((*version)->uuid);
  if (version.error().kind == ErrorKind::kNotFound) return std::optional<std::string>();
  return version.error();
}

state::SharedStanding SharedOf(const History& history) {
  const auto* newest = history.newest();
  return newest == nullptr ? history.claim.shared : newest->shared;
}

// Whether the replay made all that contract and rules shape, so that its state can be gone on from.
bool IsWhole(const config::PipelineSpec& spec, const ReplayPlan& plan) {
  return std::ranges::all_of(spec.tables, [&](const config::TableSpec& table) {
    return table.from == config::TableFrom::kSource ||
           table.from == config::TableFrom::kDecisions ||
           std::ranges::find(plan.tables, table.name) != plan.tables.end();
  });
}

Status CheckCaughtUp(const ReplayPlan& plan, const History& live, const History& replay) {
  for (const auto& [partition, standing] : live.standings) {
    const auto found = replay.standings.find(partition);
    if (found != replay.standings.end() && found->second.next_offset == standing.next_offset)
      continue;
    return WithRemedy(
        Refused(fmt::format("replay {} is not where the live tables are: partition {} is read to "
                            "offset {} there",
                            plan.id, partition.value(), standing.next_offset.value()),
                ErrorCode::kSpecChanged),
        "run `weir replay plan` and `weir replay apply` again");
  }
  return Ok();
}

Status CopyState(const state::StateChain& chain, state::StateLog& from, state::StateLog& to) {
  for (const auto& segment : chain)
    for (std::int64_t epoch = segment.first; epoch <= segment.last; ++epoch) {
      WEIR_ASSIGN_OR_RETURN(const auto sections, from.ReadState(segment.writer, epoch));
      WEIR_TRY(to.PutState(segment.writer, epoch, state::EncodeState(sections)));
    }
  return Ok();
}

state::Claim NextClaim(const config::PipelineSpec& spec, const ReplayPlan& plan,
                       const History& live, const History& replay, Clock& clock) {
  state::Claim claim = live.claim;
  claim.number = std::max(live.claim.number, replay.claim.number) + 1;
  claim.writer = NewUuid();
  claim.nonce = NewUuid();
  claim.contract_before = live.claim.contract;
  claim.previous_hash = Sha256Hex(state::Encode(live.claim));
  claim.time = clock.Now();
  for (const std::string& table : plan.tables)
    claim.table_uuids[table] = replay.claim.table_uuids.at(table);
  const bool whole = IsWhole(spec, plan);
  if (whole) {
    claim.shared = SharedOf(replay);
    claim.config_hash = spec.text_hash;
  } else {
    claim.shared = SharedOf(live);
  }
  claim.partitions.clear();
  for (const auto& [partition, standing] : live.standings) {
    const auto& made = replay.standings.at(partition);
    state::PartitionStanding start = whole ? made : standing;
    start.tables = standing.tables;
    for (const std::string& table : plan.tables) {
      const auto found = made.tables.find(table);
      start.tables[table] = found == made.tables.end() ? state::TableStanding() : found->second;
    }
    claim.partitions[partition] = {.owner = {}, .since = 0, .start = std::move(start)};
  }
  return claim;
}

Status RenameTables(const ReplayPlan& plan, connect::Catalog& catalog) {
  std::vector<connect::TableRename> renames;
  for (const std::string& table : plan.tables) {
    WEIR_ASSIGN_OR_RETURN(const auto live, connect::ParseTableName(table));
    WEIR_ASSIGN_OR_RETURN(const auto made, connect::ParseTableName(plan.TableOf(table)));
    WEIR_ASSIGN_OR_RETURN(const auto kept, connect::ParseTableName(plan.KeptOf(table)));
    WEIR_ASSIGN_OR_RETURN(const auto uuid, UuidOf(catalog, table));
    if (uuid) renames.push_back({live, kept});
    renames.push_back({made, live});
  }
  return catalog.Rename(renames);
}

// The live tables as they are: what the new contract says of their columns does not matter to
// epochs that were decided under the old one.
Result<std::vector<OpenTable>> OpenWritten(const config::PipelineSpec& spec,
                                           const state::Claim& claim, const SwapParts& parts) {
  std::vector<OpenTable> tables;
  for (const auto& [name, uuid] : claim.table_uuids) {
    OpenTable open;
    open.name = name;
    const auto known = std::ranges::find(spec.tables, name, &config::TableSpec::name);
    if (known != spec.tables.end()) open.spec = *known;
    WEIR_ASSIGN_OR_RETURN(const auto parsed, connect::ParseTableName(name));
    WEIR_ASSIGN_OR_RETURN(open.table, parts.catalog.Open(parsed, claim.pipeline));
    WEIR_ASSIGN_OR_RETURN(open.at_start, open.table->Load());
    WEIR_ASSIGN_OR_RETURN(open.store, parts.open_store(open.at_start->location));
    tables.push_back(std::move(open));
  }
  return tables;
}

}  // namespace

Result<bool> TablesAreSwapped(const ReplayPlan& plan, const SwapParts& parts) {
  state::StateLog log(parts.replay_state);
  WEIR_ASSIGN_OR_RETURN(const auto claim, log.NewestClaim());
  if (!claim)
    return WithRemedy(NotFound("replay " + plan.id + " has made nothing yet"),
                      "run `weir replay apply` first");
  for (const std::string& table : plan.tables) {
    const auto made = claim->table_uuids.find(table);
    WEIR_ASSIGN_OR_RETURN(const auto live, UuidOf(parts.catalog, table));
    if (made == claim->table_uuids.end() || live != made->second) return false;
  }
  return true;
}

Status SettleLive(const config::PipelineSpec& spec, const SwapParts& parts) {
  state::StateLog log(parts.state);
  WEIR_ASSIGN_OR_RETURN(const auto claim, log.NewestClaim());
  if (!claim) return NotFound(parts.state.Describe() + " holds no state of a pipeline");
  WEIR_ASSIGN_OR_RETURN(auto tables, OpenWritten(spec, *claim, parts));
  ClaimIdentity identity{.pipeline = claim->pipeline,
                         .writer = NewUuid(),
                         .topic = claim->topic,
                         .topic_id = claim->topic_id,
                         .cluster_id = claim->cluster_id,
                         .config_hash = claim->config_hash,
                         .contract = claim->contract,
                         .table_uuids = claim->table_uuids};
  Applier applier(parts.clock, {}, tables);
  auto check = [](auto&) { return Ok(); };
  WEIR_ASSIGN_OR_RETURN(const auto taken, TakeAll(log, parts.clock, applier, identity, {}, check));
  Collector(log, tables, Collector::kKeepRecords).CollectDead(taken, {});
  return Ok();
}

Status SwapTables(const config::PipelineSpec& spec, const ReplayPlan& plan,
                  const SwapParts& parts) {
  state::StateLog log(parts.state);
  state::StateLog replay_log(parts.replay_state);
  WEIR_ASSIGN_OR_RETURN(const auto live, ReadHistory(log));
  WEIR_ASSIGN_OR_RETURN(const auto replay, ReadHistory(replay_log));
  WEIR_TRY(CheckCaughtUp(plan, live, replay));
  if (!IsWhole(spec, plan) && live.claim.config_hash != spec.text_hash)
    return WithRemedy(
        Refused("the configuration is not the one that the live tables were made with, so that "
                "the tables can be swapped only together",
                ErrorCode::kSpecChanged),
        "replay all tables (no `--table`), or set the configuration back");
  const state::Claim claim = NextClaim(spec, plan, live, replay, parts.clock);
  if (IsWhole(spec, plan)) {
    WEIR_TRY(CopyState(claim.shared.state, replay_log, log));
    for (const auto& [partition, entry] : claim.partitions)
      WEIR_TRY(CopyState(entry.start.state, replay_log, log));
  }
  WEIR_ASSIGN_OR_RETURN(const bool swapped, TablesAreSwapped(plan, parts));
  if (!swapped) WEIR_TRY(RenameTables(plan, parts.catalog));
  WEIR_ASSIGN_OR_RETURN(const auto verdict, log.PutClaim(claim));
  if (verdict != state::PutVerdict::kMine)
    return WithRemedy(Conflict("another process started the pipeline meanwhile"),
                      "stop it, then run `weir replay swap` again");
  return parts.state.Put(ReplaySwappedKey(plan.id), plan.id);
}

}  // namespace weir::engine
