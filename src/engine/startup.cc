#include "engine/startup.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/random.h"
#include "config/contract_writer.h"
#include "engine/contract_record.h"
#include "engine/table_evolution.h"

namespace weir::engine {
namespace {

using Standings = std::map<Partition, state::PartitionStanding>;

bool IsPassing(const Error& error) {
  return error.kind == ErrorKind::kUnavailable || error.code == ErrorCode::kTopicMissing;
}

Result<connect::TopicInfo> DescribeSource(const PipelineParts& parts, PatienceRules rules) {
  rules.grace_after_stop = 0;  // nothing is in work yet that a stop would have to finish
  Patience patience(parts.clock, std::move(rules), "the source");
  for (;;) {
    auto topic = parts.source.Describe();
    if (topic || !IsPassing(topic.error())) return topic;
    WEIR_TRY(patience.After(topic.error()));
  }
}

ClaimIdentity IdentityOf(const config::PipelineSpec& spec, const std::string& writer,
                         const connect::TopicInfo& topic, const std::vector<OpenTable>& tables) {
  ClaimIdentity identity{.pipeline = spec.name,
                         .writer = writer,
                         .topic = topic.topic,
                         .topic_id = topic.topic_id,
                         .cluster_id = topic.cluster_id,
                         .config_hash = spec.text_hash,
                         .contract = config::ContractHash(spec.contract),
                         .table_uuids = {}};
  for (const OpenTable& table : tables) identity.table_uuids[table.name] = table.at_start->uuid;
  return identity;
}

Result<OffsetMap> ResolveStart(const config::SourceSpec& source, const connect::TopicInfo& topic,
                               connect::LogSource& log_source) {
  if (source.start == config::StartKind::kTimestamp) return log_source.OffsetsAt(source.start_ms);
  OffsetMap offsets;
  for (const auto& [partition, bounds] : topic.partitions)
    offsets[partition] = source.start == config::StartKind::kLatest ? bounds.end : bounds.begin;
  return offsets;
}

// On a deliberate replay the tables already show positions: go on above them.
std::int64_t PositionsFromTables(const std::vector<OpenTable>& tables, const std::string& topic,
                                 Standings& standings) {
  std::int64_t highest = -1;
  for (const OpenTable& table : tables) {
    if (!table.at_start->progress) continue;
    for (const auto& [key, progress] : table.at_start->progress->partitions)
      highest = std::max(highest, progress.position.since);
    for (auto& [partition, standing] : standings) {
      auto shown = table.at_start->progress->partitions.find(ProgressKey(topic, partition));
      if (shown != table.at_start->progress->partitions.end())
        standing.tables[table.name].position = shown->second.position;
    }
  }
  return highest;
}

Status BeginPipeline(const config::PipelineSpec& spec, const PipelineParts& parts,
                     state::StateLog& log, const RunOptions& options, const Started& started,
                     const ClaimIdentity& identity) {
  WEIR_TRY(CheckStatePresent(started.tables, spec.name, parts.state.Describe(), options.accepted));
  WEIR_ASSIGN_OR_RETURN(auto start, ResolveStart(spec.source, started.topic, parts.source));
  Standings standings;
  for (const auto& [partition, offset] : start) standings[partition].next_offset = offset;
  const std::int64_t used = PositionsFromTables(started.tables, started.topic.topic, standings);
  return PutFirstClaim(log, parts.clock, used + 1, identity, standings);
}

// Partitions that the topic has and no claim knows: they are read from their beginning, whatever
// `start` said when the pipeline was made.
Standings NewPartitions(const state::Claim& claim, const connect::TopicInfo& topic) {
  Standings added;
  for (const auto& [partition, bounds] : topic.partitions)
    if (!claim.partitions.contains(partition)) added[partition].next_offset = bounds.begin;
  return added;
}

Status AcceptRollbacks(std::vector<OpenTable>& tables, const PipelineParts& parts,
                       const PatienceRules& rules) {
  for (OpenTable& table : tables) {
    Patience patience(parts.clock, rules, table.name);
    for (;;) {
      WEIR_ASSIGN_OR_RETURN(auto version, table.table->Load());
      if (version->lineage != connect::Lineage::kRolledBack) break;
      auto outcome = table.table->AcceptRollback(*version);
      if (!outcome) return std::move(outcome).error();
      if (*outcome != connect::CommitOutcome::kCommitted)
        WEIR_TRY(patience.After(Conflict("other writers commit to " + table.name)));
      else
        log::Warn("the rollback of the table is accepted", {{"table", table.name}});
    }
  }
  return Ok();
}

}  // namespace

Result<Started> StartUp(const config::PipelineSpec& spec, const PipelineParts& parts,
                        state::StateLog& log, const RunOptions& options,
                        const PatienceRules& patience) {
  Started started;
  started.writer = NewUuid();
  WEIR_TRY(io::ProbePutIfAbsent(parts.state));
  WEIR_ASSIGN_OR_RETURN(const auto known, log.NewestClaim());
  if (known) WEIR_TRY(CheckTablesThere(*known, spec.tables, parts.catalog));
  config::PipelineSpec written = spec;
  if (!options.only_tables.empty())
    std::erase_if(written.tables,
                  [&](const auto& table) { return !options.only_tables.contains(table.name); });
  WEIR_ASSIGN_OR_RETURN(const auto recorded, log.NewestContract());
  WEIR_ASSIGN_OR_RETURN(const auto before, ContractBefore(recorded, spec));
  if (before) WEIR_TRY(CheckOperatorFields(spec, *before));
  WEIR_ASSIGN_OR_RETURN(started.tables,
                        OpenTables(written, parts.catalog, parts.open_store,
                                   MissingTable::kAsConfigured, before ? &*before : nullptr));
  WEIR_ASSIGN_OR_RETURN(started.topic, DescribeSource(parts, patience));
  const ClaimIdentity identity = IdentityOf(spec, started.writer, started.topic, started.tables);

  WEIR_ASSIGN_OR_RETURN(auto newest, log.NewestClaim());
  if (!newest) {
    WEIR_TRY(BeginPipeline(spec, parts, log, options, started, identity));
    WEIR_ASSIGN_OR_RETURN(newest, log.NewestClaim());
    if (!newest) return Internal("the first claim is not there after it was put");
  }
  WEIR_TRY(CheckIdentity(*newest, identity, options.accepted));
  if (options.accepted.contains(Accept::kRollback))
    WEIR_TRY(AcceptRollbacks(started.tables, parts, patience));

  std::set<std::string> owners;
  for (const auto& [partition, entry] : newest->partitions)
    if (!entry.owner.empty()) owners.insert(entry.owner);
  started.predecessors.assign(owners.begin(), owners.end());

  Applier applier(parts.clock, patience, started.tables);
  auto check = [&](Standings& standings) -> Status {
    if (options.accepted.contains(Accept::kNewTopic) && !CheckIdentity(*newest, identity, {})) {
      for (auto& [partition, bounds] : started.topic.partitions)
        standings[partition].next_offset = bounds.begin;
      std::erase_if(standings, [&](const auto& entry) {
        return !started.topic.partitions.contains(entry.first);
      });
    }
    WEIR_TRY(CheckTablesAgree(started.tables, started.topic.topic, standings));
    return CheckOffsets(started.topic, options.accepted, standings);
  };
  WEIR_ASSIGN_OR_RETURN(started.claim, TakeAll(log, parts.clock, applier, identity,
                                               NewPartitions(*newest, started.topic), check));
  WEIR_TRY(RecordContract(log, parts.clock, spec.contract, started.claim));
  return started;
}

}  // namespace weir::engine
