#include "engine/replay_planner.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/applier.h"
#include "engine/history.h"

namespace weir::engine {
namespace {

using config::TableFrom;

const config::TableSpec* BronzeOf(const config::PipelineSpec& spec) {
  const auto found = std::ranges::find(spec.tables, TableFrom::kSource, &config::TableSpec::from);
  return found == spec.tables.end() ? nullptr : &*found;
}

// What the wall clock decided is not made again, and bronze is what the others are made from.
bool CanBeMade(const config::TableSpec& table, bool from_source) {
  if (table.from == TableFrom::kDecisions) return false;
  return from_source || table.from != TableFrom::kSource;
}

Result<std::vector<std::string>> TablesOf(const config::PipelineSpec& spec,
                                          const ReplayRequest& request) {
  std::vector<std::string> known;
  for (const auto& table : spec.tables)
    if (CanBeMade(table, request.from_source)) known.push_back(table.name);
  if (request.tables.empty()) {
    // A table of raw records is made anew only where it is named.
    std::erase_if(known, [&](const std::string& name) {
      const auto* bronze = BronzeOf(spec);
      return bronze != nullptr && bronze->name == name;
    });
    return known;
  }
  for (const std::string& table : request.tables)
    if (std::ranges::find(known, table) == known.end())
      return InvalidInput(fmt::format("{} is no table of {} that can be made anew from {}", table,
                                      spec.file, request.from_source ? "the source" : "bronze"),
                          ErrorCode::kUsage);
  return request.tables;
}

// Where the pipeline stood at the claim and after each record of its owner, oldest first.
std::vector<state::Claim> StandsOf(const History& history) {
  std::vector<const state::EpochRecord*> records;
  for (const auto& retained : history.records)
    if (retained.record.writer == history.claim.writer) records.push_back(&retained.record);
  std::ranges::sort(records, {}, [](const auto* record) { return record->epoch; });
  std::vector<state::Claim> stands{history.claim};
  for (const auto* record : records) {
    state::Claim stand = stands.back();
    for (const auto& [partition, part] : record->partitions)
      stand.partitions[partition].start = part.end;
    stand.shared = record->shared;
    stand.time = record->time;
    stands.push_back(std::move(stand));
  }
  return stands;
}

bool Holds(const connect::TableVersion& bronze, const std::string& name,
           const state::Claim& stand) {
  return std::ranges::all_of(stand.partitions, [&](const auto& entry) {
    const auto& tables = entry.second.start.tables;
    const auto standing = tables.find(name);
    const Position due = standing == tables.end() ? Position() : standing->second.position;
    Position shown;
    if (bronze.progress) {
      const auto found = bronze.progress->partitions.find(ProgressKey(stand.topic, entry.first));
      if (found != bronze.progress->partitions.end()) shown = found->second.position;
    }
    return due <= shown;
  });
}

Result<std::vector<BronzeFile>> Scan(const std::vector<connect::DataFile>& files,
                                     const connect::TableVersion& version, const ReplayPlan* before,
                                     const state::Claim& goal, const BronzeOpener& open) {
  std::map<std::string, const BronzeFile*> known;
  if (before != nullptr)
    for (const BronzeFile& file : before->files) known[file.path] = &file;
  std::vector<BronzeFile> scanned;
  for (const connect::DataFile& file : files) {
    BronzeFile found;
    const auto old = known.find(file.path);
    if (old != known.end() && old->second->rows == file.record_count) {
      found = *old->second;
    } else {
      WEIR_ASSIGN_OR_RETURN(found, ScanBronzeFile(file, version.schema, goal.topic, open));
    }
    const bool wanted = std::ranges::any_of(found.ranges, [&](const auto& entry) {
      const auto end = goal.partitions.find(entry.first);
      return end != goal.partitions.end() && entry.second.first < end->second.start.next_offset;
    });
    if (wanted) scanned.push_back(std::move(found));
  }
  std::ranges::sort(scanned, {}, &BronzeFile::path);
  return scanned;
}

Status PlanFromBronze(const config::PipelineSpec& spec, const History& history,
                      const ReplayPlan* before, connect::Catalog& catalog,
                      const BronzeOpenerOf& opener, ReplayPlan& plan) {
  const config::TableSpec* bronze = BronzeOf(spec);
  if (bronze == nullptr)
    return WithRemedy(InvalidInput("the pipeline has no table of raw records (`from: source`)",
                                   ErrorCode::kUsage),
                      "replay from the log as far as it still goes back: `--from source`");
  WEIR_ASSIGN_OR_RETURN(const auto name, connect::ParseTableName(bronze->name));
  WEIR_ASSIGN_OR_RETURN(const auto table, catalog.Open(name, spec.name));
  WEIR_ASSIGN_OR_RETURN(const auto version, table->Load());
  std::vector<state::Claim> stands = StandsOf(history);
  while (!stands.empty() && !Holds(*version, bronze->name, stands.back())) stands.pop_back();
  if (stands.empty())
    return WithRemedy(Unavailable("table " + bronze->name + " is behind every epoch that is kept"),
                      "let the pipeline catch up, then try again");
  plan.goal = std::move(stands.back());
  plan.bronze = bronze->name;
  plan.bronze_snapshot = version->snapshot_id.value_or(0);
  WEIR_ASSIGN_OR_RETURN(const auto files, table->LiveFiles(*version));
  WEIR_ASSIGN_OR_RETURN(plan.files, Scan(files, *version, before, plan.goal, opener(*version)));
  return Ok();
}

Status PlanFromSource(const History& history, state::StateLog& log, ReplayPlan& plan) {
  plan.goal = StandsOf(history).back();
  WEIR_ASSIGN_OR_RETURN(const auto kept, log.KeptDecisions());
  auto take = [&](const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions)
      if (decision.kind == DecisionKind::kJoined)
        plan.floors.push_back({decision.partition, decision.offset, decision.value});
  };
  for (const auto& epoch : kept) take(epoch.decisions);
  for (const auto& retained : history.records) take(retained.record.decisions);
  auto place = [](const RecordFloor& floor) {
    return std::tuple(floor.partition, floor.offset, floor.floor);
  };
  std::ranges::sort(plan.floors, {}, place);
  plan.floors.erase(std::unique(plan.floors.begin(), plan.floors.end()), plan.floors.end());
  return Ok();
}

}  // namespace

Result<ReplayPlan> PlanReplay(const config::PipelineSpec& spec, const ReplayRequest& request,
                              const ReplayPlan* before, state::StateLog& log,
                              connect::Catalog& catalog, const BronzeOpenerOf& opener) {
  ReplayPlan plan;
  plan.id = request.id;
  plan.config_hash = spec.text_hash;
  plan.from_source = request.from_source;
  WEIR_ASSIGN_OR_RETURN(plan.tables, TablesOf(spec, request));
  WEIR_ASSIGN_OR_RETURN(const History history, ReadHistory(log));
  if (history.claim.pipeline != spec.name)
    return Refused(fmt::format("the state folder belongs to pipeline {}, not {}",
                               history.claim.pipeline, spec.name),
                   ErrorCode::kForeignPipeline);
  if (request.from_source)
    WEIR_TRY(PlanFromSource(history, log, plan));
  else
    WEIR_TRY(PlanFromBronze(spec, history, before, catalog, opener, plan));
  return plan;
}

Result<std::unique_ptr<connect::LogSource>> OpenPlannedBronze(const config::PipelineSpec& spec,
                                                              const ReplayPlan& plan,
                                                              connect::Catalog& catalog,
                                                              const BronzeOpenerOf& opener) {
  WEIR_ASSIGN_OR_RETURN(const auto name, connect::ParseTableName(plan.bronze));
  WEIR_ASSIGN_OR_RETURN(const auto table, catalog.Open(name, spec.name));
  WEIR_ASSIGN_OR_RETURN(const auto version, table->Load());
  BronzeLog log{.topic = {.topic = plan.goal.topic,
                          .cluster_id = plan.goal.cluster_id,
                          .topic_id = plan.goal.topic_id,
                          .partitions = {}},
                .schema = version->schema,
                .files = plan.files};
  log.merge_bytes = static_cast<std::size_t>(spec.memory_bytes);
  const auto ranges = plan.ranges();
  for (const auto& [partition, entry] : plan.goal.partitions) {
    const Offset end = entry.start.next_offset;
    const auto range = ranges.find(partition);
    log.topic.partitions[partition] = {
        range == ranges.end() ? end : std::min(range->second.first, end), end};
  }
  return OpenBronze(std::move(log), opener(*version));
}

}  // namespace weir::engine
